/** What a module lists is what its counts say: both follow one rule, in two languages (see `src/compare/homes.ts`). */
import { expect, it } from "vitest";
import type { ModuleChange } from "../../src/compare/schema";
import { readCompared } from "../snapshots";

it.each(["core", "dropout", "mutant", "emitted"])(
  "each module of the comparison %s lists as many of each kind as are counted in it",
  async (name) => {
    const changes = await readCompared(name);
    const listed = (module: ModuleChange): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const match of changes.within(module)) {
        const kind = changes.kind(match);
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      return counts;
    };
    const { modules = [] } = changes.comparison;
    expect(modules.length).toBeGreaterThan(1);
    for (const module of modules) {
      const counted = Object.fromEntries(Object.entries(module.counts).filter(([, count]) => count > 0));
      expect([module.path, listed(module)]).toEqual([module.path, counted]);
    }
  },
);
