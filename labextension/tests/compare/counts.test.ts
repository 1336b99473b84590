/**
 * A module lists the changes that its counts count: both follow one rule, in two languages (see
 * `src/compare/model/module_attribution.ts`).
 */
import { expect, it } from "vitest";
import type { ModuleChange } from "../../src/compare/model/schema";
import { readCompared } from "../snapshots";

it.each(["core", "dropout", "mutant", "emitted"])(
  "each module of the comparison %s lists as many changes of each kind as it counts",
  async (name) => {
    const changes = await readCompared(name);
    const listed = (matches: readonly number[]): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const match of matches) {
        const kind = changes.kind(match);
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      return counts;
    };
    const { modules = [] } = changes.comparison;
    expect(modules.length).toBeGreaterThan(1);
    const counted = (counts: ModuleChange["counts"]): Record<string, number> =>
      Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    for (const module of modules) {
      const { path, counts, own } = module;
      expect([path, listed(changes.within([module]))]).toEqual([path, counted(counts)]);
      expect([path, listed(changes.ownOf([module]))]).toEqual([path, counted(own)]);
    }
  },
);
