/**
 * The same modules at several stages: what lowering cost or gained, and where. A module is known by its path and call,
 * which lowering keeps. The rules of `exir_viz/measure/compare.py`.
 */
import { byText } from "../snapshot";
import type { Profile } from "./profile";
import { rollup } from "./rollup";
import type { Conditions } from "./schema";
import { threadText } from "./words";

export interface Cell {
  /** Nanoseconds with all that is within. */
  readonly time: number;
  /** To the first stage that has the module; undefined at that one. */
  readonly ratio: number | undefined;
}

export interface Line {
  readonly key: string;
  /** By profile; undefined where that stage has no such module. */
  readonly cells: readonly (Cell | undefined)[];
}

/** The module that took most at the first stage first. */
export function across(profiles: readonly Profile[]): readonly Line[] {
  const times = profiles.map(
    (profile) => new Map(rollup(profile, "module").map(({ key, total }) => [key, total])),
  );
  const keys = [...new Set(times.flatMap((of) => [...of.keys()]))];
  const first = new Map(keys.map((key) => [key, times.find((of) => of.has(key))?.get(key) ?? 0]));
  keys.sort((a, b) => (first.get(b) ?? 0) - (first.get(a) ?? 0) || byText(a, b));
  return keys.map((key) => ({ key, cells: cells(times.map((of) => of.get(key))) }));
}

/** The whole runs. */
export const wholes = (profiles: readonly Profile[]): Line => ({
  key: "the whole run",
  cells: cells(profiles.map(({ whole }) => whole)),
});

function cells(times: readonly (number | undefined)[]): (Cell | undefined)[] {
  const base = times.findIndex((time) => time !== undefined);
  return times.map((time, i) =>
    time === undefined ? undefined : { time, ratio: i === base ? undefined : ratio(time, times[base] ?? 0) },
  );
}

const ratio = (time: number, base: number): number | undefined => (base > 0 ? time / base : undefined);

/** What makes two measurements hard to compare, as sentences. */
export function differences(one: Conditions, other: Conditions): string[] {
  const said: [string, (of: Conditions) => string][] = [
    ["the executor", ({ executor }) => executor],
    ["threads", ({ threads }) => threadText(threads)],
    ["the inputs", ({ inputs }) => (inputs ?? []).map(({ value }) => value).join(", ")],
    ["torch", ({ torch }) => torch ?? ""],
    ["the CPU", ({ cpu }) => cpu ?? ""],
  ];
  return said
    .filter(([, of]) => of(one) !== of(other))
    .map(([what, of]) => `${what}: ${of(one) || "none"} against ${of(other) || "none"}`);
}
