/** Text about profiles for their views. */
import { shareText, timeText } from "../snapshot";
import type { Basis, Profile } from "./profile";

/** "emulated", "emulated in part"; empty if all is measured. */
export function basisText(bases: readonly Basis[]): string {
  const others = bases.filter((basis) => basis !== "measured");
  if (others.length === 0) return "";
  return `${others.join(" and ")}${bases.includes("measured") ? " in part" : ""}`;
}

/** What ops cost: "12.3% of the run, 1.25 ms"; "≥" if some of the ops have no time; empty without a profile or ops. */
export function costText(profile: Profile | undefined, nodes: readonly number[]): string {
  if (!profile || nodes.length === 0) return "";
  const times = nodes.map((node) => profile.of("time", node)).filter((time) => time !== undefined);
  if (times.length === 0) return "not timed";
  const time = times.reduce((total, each) => total + each, 0);
  const least = times.length < nodes.length ? "≥ " : "";
  return `${least}${shareText(profile.share(time))} of the run, ${timeText(time)}`;
}

/** The spread of a time: "median 61 µs, half of 40 runs from 60 µs to 64 µs". */
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
  etdump: "an ETDump of the ExecuTorch runtime",
};

export const executorText = (executor: string): string => EXECUTORS[executor] ?? executor;

/** The meaning of a basis for users. */
export const BASIS_TEXT: Readonly<Record<Basis, string>> = {
  measured: "measured in its program",
  emulated: "emulated: eager torch ran what the backend would run",
  estimated: "estimated: this op was timed in a program of its own",
};

/** Empty if unknown. */
export const threadText = (threads: number): string =>
  threads === 0 ? "" : `${threads} ${threads === 1 ? "thread" : "threads"}`;
