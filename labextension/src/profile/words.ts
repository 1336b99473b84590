/** Numbers of a profile for people, said as `exir_viz/measure/text.py` says them. */
import { countText } from "../snapshot";
import type { Basis, Profile } from "./profile";

const UNITS: readonly (readonly [number, string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** Nanoseconds: "1.25 ms", "340 µs"; "–" where unknown. */
export function timeText(nanoseconds: number | undefined): string {
  if (nanoseconds === undefined) return "–";
  if (nanoseconds === 0) return "0";
  const [size, unit] = UNITS.find(([each]) => Math.abs(nanoseconds) >= each) ?? [1, "ns"];
  const amount = nanoseconds / size;
  return `${Math.abs(amount) >= 100 ? amount.toFixed(0) : Number(amount.toPrecision(3))} ${unit}`;
}

/** "12 %", "3.1 %", "0.4 %". */
export function shareText(share: number): string {
  if (share > 0 && share < 0.001) return "<0.1 %";
  return share >= 0.0995 || share === 0 ? `${(100 * share).toFixed(0)} %` : `${(100 * share).toFixed(1)} %`;
}

/** A share with all before it: "100 %" only of all. */
export function sumText(share: number): string {
  return share >= 0.995 && share < 1 - 1e-6 ? `${Math.floor(1000 * share) / 10} %` : shareText(share);
}

/** "×1.04", "×0.96", "×23.5": as exact on either side of 1. */
export const timesText = (ratio: number): string => `×${Number(ratio.toPrecision(ratio < 1 ? 2 : 3))}`;

/** "emulated", "emulated in part"; empty where all is measured. */
export function basisText(bases: readonly Basis[]): string {
  const others = bases.filter((basis) => basis !== "measured");
  if (others.length === 0) return "";
  return `${others.join(" and ")}${bases.includes("measured") ? " in part" : ""}`;
}

/** "131 kFLOP", "840 FLOP". */
export function flopText(count: number): string {
  const text = countText(count);
  return /[kMGT]$/.test(text) ? `${text}FLOP` : `${text} FLOP`;
}

/** How far a time varied: "median 61 µs, half of 40 runs from 60 µs to 64 µs". */
export function spreadText(profile: Profile, row: number): string {
  const [n, median, low, high] = (["n", "median", "p25", "p75"] as const).map((each) =>
    profile.at(each, row),
  );
  if (n === undefined || median === undefined) return "";
  if (n < 4) return `median ${timeText(median)} of ${n}`;
  return `median ${timeText(median)}, half of ${n} runs from ${timeText(low)} to ${timeText(high)}`;
}

const EXECUTORS: Readonly<Record<string, string>> = {
  cpu: "eager torch, node by node",
  executorch: "the ExecuTorch runtime, as a whole and by delegate",
  "executorch.ops": "the ExecuTorch runtime, op by op",
  etdump: "an ETDump of the ExecuTorch runtime",
};

export const executorText = (executor: string): string => EXECUTORS[executor] ?? executor;

/** What a basis means for a reader of the number. */
export const BASIS_TEXT: Readonly<Record<Basis, string>> = {
  measured: "measured in its program",
  emulated: "emulated: eager torch ran what a backend would run otherwise",
  estimated: "estimated: a program of this op alone was timed",
};

/** Empty where it is not known. */
export const threadText = (threads: number): string =>
  threads === 0 ? "" : `${threads} ${threads === 1 ? "thread" : "threads"}`;
