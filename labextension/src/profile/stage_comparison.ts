/**
 * The same modules at several stages: what lowering cost or saved, and where. A module is identified by its
 * path and call, which lowering keeps. The rules of `exir_viz/measure/compare.py`, tested with the same
 * cases.
 */
import { amountText, byText } from "../snapshot";
import { mixed } from "./fused_timing";
import { areApart, type Span, spanOf } from "./noise";
import type { Basis, Profile } from "./profile";
import { rollup } from "./rollup";
import type { Conditions } from "./schema";

export interface Cell {
  /** Nanoseconds including submodules; undefined if no node of it was timed separately. */
  readonly time: number | undefined;
  /** To the first stage with a time of the module alone; undefined there, and if executors differ. */
  readonly ratio: number | undefined;
  /** Whether the difference is beyond noise. */
  readonly isApart: boolean;
  /** How the numbers were obtained. */
  readonly bases: readonly Basis[];
  /** Why the time includes more or less than the module: "in XNNPACK 1, which spans more". */
  readonly mixed: string;
}

export interface Line {
  readonly key: string;
  /** By profile; undefined if that stage has no such module. */
  readonly cells: readonly (Cell | undefined)[];
}

/** The module with most time at the first stage first. */
export function across(profiles: readonly Profile[]): readonly Line[] {
  const stages = profiles.map((profile) => ({
    shares: new Map(rollup(profile, "module").map((share) => [share.key, share])),
    mixed: mixed(profile),
    executor: profile.conditions.executor,
  }));
  const keys = [...new Set(stages.flatMap(({ shares }) => [...shares.keys()]))];
  const first = new Map(
    keys.map((key) => [key, stages.find(({ shares }) => shares.has(key))?.shares.get(key)?.total ?? 0]),
  );
  keys.sort((a, b) => (first.get(b) ?? 0) - (first.get(a) ?? 0) || byText(a, b));
  return keys.map((key) => ({
    key,
    cells: cells(
      stages.map((stage) => {
        const [share, why] = [stage.shares.get(key), stage.mixed.get(key) ?? ""];
        if (!share && !why) return undefined;
        return {
          span: share && share.total !== undefined ? share.span : undefined,
          bases: share?.bases ?? [],
          mixed: why,
          executor: stage.executor,
        };
      }),
      profiles.some(wasBusy),
    ),
  }));
}

/** The whole runs. */
export const wholes = (profiles: readonly Profile[]): Line => ({
  key: "the whole run",
  cells: cells(
    profiles.map((profile) => ({
      span: profile.record.whole ? spanOf(profile.record.whole) : spanOf({ ...NO_RUNS, time: profile.whole }),
      // The runtime's total is measured, even if its parts are not.
      bases: profile.conditions.executor === "cpu" ? profile.bases : ["measured"],
      mixed: "",
      executor: profile.conditions.executor,
    })),
    profiles.some(wasBusy),
  ),
});

const NO_RUNS = { p25: undefined, p75: undefined, n: 0 };

interface Timed {
  readonly span: Span | undefined;
  readonly bases: readonly Basis[];
  readonly mixed: string;
  readonly executor: string;
}

function cells(all: readonly (Timed | undefined)[], isBusy: boolean): (Cell | undefined)[] {
  const base = all.findIndex((one) => one?.span && !one.mixed);
  const { span: first, executor } = all[base] ?? {};
  return all.map((one, i) => {
    if (!one) return undefined;
    const { span, bases, mixed: why } = one;
    const isAlike = one.executor === executor;
    const isCompared = first !== undefined && span !== undefined && !why && isAlike && i !== base;
    return {
      time: span?.time,
      ratio: isCompared && first.time > 0 ? span.time / first.time : undefined,
      // A busy machine changes times more than any edit.
      isApart: isCompared && !isBusy && areApart(first, span),
      bases,
      mixed: why,
    };
  });
}

/**
 * Conditions that make two measurements hard to compare, as sentences: the rules of
 * `exir_viz/measure/conditions.py`.
 */
export function differences(one: Conditions, other: Conditions): string[] {
  const fields: [keyof Conditions, string, (of: Conditions) => string][] = [
    ["executor", "the executor", ({ executor }) => executor],
    ["threads", "the number of threads", ({ threads }) => String(threads)],
    ["inputs", "the inputs", ({ inputs }) => (inputs ?? []).map(({ value }) => value).join(", ")],
    ["torch", "torch", ({ torch }) => torch ?? ""],
    ["executorch", "ExecuTorch", ({ executorch }) => executorch ?? ""],
    ["cpu", "the CPU", ({ cpu }) => cpu ?? ""],
  ];
  const known = fields.filter(([field]) => isConditionKnown(one, field) && isConditionKnown(other, field));
  const found = known
    .filter(([, , of]) => of(one) !== of(other))
    .map(([field, what, of]) => {
      const verb = field === "inputs" ? "differ" : "differs";
      const text = `${what} ${verb}: ${of(one) || "none"} vs. ${of(other) || "none"}`;
      return field === "executor" ? `${text}, so there is no ratio` : text;
    });
  const unknown = fields.filter((each) => !known.includes(each)).map(([, what]) => what);
  if (unknown.length > 0) found.push(`it is unknown whether these are the same: ${unknown.join(", ")}`);
  const load = Math.max(...[one, other].map(loadOf));
  return load > BUSY ? [...found, `the machine was busy: load up to ${amountText(load)} per core`] : found;
}

/** Whether a condition is known. Without ExecuTorch, but with torch, it is known that none was installed. */
export function isConditionKnown(conditions: Conditions, field: keyof Conditions): boolean {
  if (field === "executor") return true;
  if (field === "inputs") return conditions.inputs_from !== "unknown";
  return Boolean(conditions[field === "executorch" ? "torch" : field]);
}

/** For each core. */
const BUSY = 2;

const loadOf = ({ load, cores }: Conditions): number =>
  Math.max(0, ...(load ?? [])) / Math.max(cores ?? 0, 1);

const wasBusy = ({ conditions }: Profile): boolean => loadOf(conditions) > BUSY;
