/** Which Snapshots are refused, by the cases that Python generates: `tests/cases/snapshots.py`. */
import { describe, expect, test } from "vitest";
import { asDetail, asSkeleton } from "../../src/snapshot/narrow";
import { cases } from "../cases";

type Place = readonly (string | number)[];
type Change = readonly (readonly [Place, unknown])[];

const { program = [], changes = [] } = cases("snapshots");
const [skeleton, detail] = program[0] ?? [];

function changed(change: Change): { skeleton: unknown; detail: unknown } {
  const copy = structuredClone({ skeleton, detail });
  for (const [place, value] of change) {
    const holder = place
      .slice(0, -1)
      // biome-ignore lint/suspicious/noExplicitAny: cases put anything anywhere
      .reduce((at: any, step) => at[step], copy);
    holder[place.at(-1) ?? ""] = value;
  }
  return copy;
}

test("there are valid and invalid cases", () => {
  const refused = changes.filter(([, , isRefused]) => isRefused);
  expect(refused.length).toBeGreaterThan(30);
  expect(changes.length - refused.length).toBeGreaterThan(5);
});

describe("a Snapshot with", () => {
  test.each(changes)("%s", (_what, change, isRefused) => {
    const given = changed(change as Change);
    const read = (): unknown => asDetail(given.detail, asSkeleton(given.skeleton));
    if (isRefused) expect(read).toThrow("It contradicts itself");
    else expect(read).not.toThrow();
  });
});
