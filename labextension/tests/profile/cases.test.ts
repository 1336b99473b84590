/** Derived numbers of a profile, by the cases that Python generates: `tests/cases/profiles.py`. */
import { describe, expect, test } from "vitest";
import { across, asProfile, differences, Profile, peak, rollup } from "../../src/profile";
import { mixed, untimedOps } from "../../src/profile/fused_timing";
import { areApart, NOTHING, spanOf, sum } from "../../src/profile/noise";
import { ratioText, Snapshot, shareText } from "../../src/snapshot";
import { asPageSkeleton } from "../../src/snapshot/narrow";
import { rooflineOf } from "../../src/timeline/roofline";
import { sequenceOf } from "../../src/timeline/sequence";
import { cases } from "../cases";

const all = cases("profile");
const of = (rule: string): readonly (readonly unknown[])[] => all[rule] ?? [];

const snapshot = new Snapshot(asPageSkeleton(of("program")[0]?.[0]), () =>
  Promise.reject(new Error("no detail")),
);
const profiles = new Map(
  of("profiles").map(([name, record]) => [name as string, new Profile(asProfile(record), snapshot)]),
);
const profile = (name: unknown): Profile => {
  const found = profiles.get(name as string);
  if (!found) throw new Error(`There is no profile ${name}.`);
  return found;
};

test("there are cases of every rule", () => {
  expect(of("roofline")).toHaveLength(2);
  for (const rule of ["rollup", "mixed", "untimed ops", "across", "differences"])
    expect(of(rule).length).toBeGreaterThan(3);
});

describe("rollups", () => {
  test.each(of("rollup"))("of %s by %s", (name, by, expected) => {
    const groups = rollup(profile(name), by as "node" | "op" | "module");
    expect(
      groups.map(({ key, time, total, share, cumulative, nodes, untimed, bases }) => ({
        key,
        time: time ?? null,
        total: total ?? null,
        share: shareText(share),
        cumulative: shareText(cumulative),
        nodes: nodes.length,
        untimed,
        bases,
      })),
    ).toEqual(expected);
  });
});

test.each(of("mixed"))("modules of %s with shared or missing time", (name, expected) => {
  expect(Object.fromEntries(mixed(profile(name)))).toEqual(expected);
});

test.each(of("untimed ops"))("ops of %s without a time of their own", (name, expected) => {
  expect(
    untimedOps(profile(name))
      .map((node) => snapshot.id(node))
      .sort(),
  ).toEqual(expected);
});

test.each(of("across"))("modules of %o side by side", (names, expected) => {
  const lines = across((names as string[]).map(profile));
  expect(
    lines.map(({ key, cells }) => [
      key,
      cells.map((cell) =>
        cell
          ? {
              ...cell,
              time: cell.time ?? null,
              ratio: cell.ratio === undefined ? null : ratioText(cell.ratio),
            }
          : null,
      ),
    ]),
  ).toEqual(expected);
});

test("conditions that make two measurements hard to compare", () => {
  for (const [one, other, expected] of of("differences")) {
    expect(differences(one as never, other as never)).toEqual(expected);
  }
});

type Spread = [time: number, p25: number | null, p75: number | null, n: number];
const span = ([time, p25, p75, n]: Spread) =>
  spanOf({ time, p25: p25 ?? undefined, p75: p75 ?? undefined, n });

test("times that differ by more than noise, and sums of spreads", () => {
  expect(of("noise").length).toBeGreaterThan(50);
  for (const [one, other, expected] of of("noise"))
    expect(areApart(span(one as Spread), span(other as Spread)), `${one} and ${other}`).toBe(expected);
  for (const [spreads, expected] of of("sums")) {
    const found = (spreads as Spread[]).map(span).reduce(sum, NOTHING);
    expect([found.time, found.low, found.high]).toEqual(expected);
  }
});

test.each(of("peak"))("the peak of live bytes (%#)", (record, node, bytes) => {
  const measured = new Profile(asProfile(record), snapshot);
  const most = peak(measured);
  expect(most?.bytes ?? null).toBe(bytes);
  expect(most ? snapshot.id(measured.nodes[most.row] ?? -1) : null).toBe(node);
});

test.each(of("roofline"))("the points and roofs of a roofline (%#)", (record, points, roofs) => {
  const sequence = sequenceOf(snapshot, snapshot.graph(0));
  const found = rooflineOf(sequence, new Profile(asProfile(record), snapshot));
  const digits = (value: number): string => value.toPrecision(9);
  const shown = found?.points.map(({ node, ...point }) => [snapshot.id(node), point.intensity, point.rate]);
  expect((shown ?? []).map((each) => each.map(round)).sort()).toEqual(
    (points as unknown[][]).map((each) => each.map(round)),
  );
  const expected = roofs as number[];
  if (found) expect([found.roofs.rate, found.roofs.bandwidth].map(digits)).toEqual(expected.map(digits));
  else expect(expected).toEqual([0, 0]);
});

const round = (value: unknown): unknown => (typeof value === "number" ? value.toPrecision(9) : value);
