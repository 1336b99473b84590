/** Text about a stage. */

import { byteText, grouped, secondsText } from "../snapshot";
import { plural } from "../ui/text";
import type { Offer, StageRecord } from "./schema";

const DIALECTS: Readonly<Record<string, string>> = {
  "aten.training": "ATen (before decomposition)",
  aten: "ATen, functional",
  "aten.core": "Core ATen",
  edge: "Edge",
  backend: "Edge with delegates",
  executorch: "ExecuTorch",
  fx: "FX",
};

/** Its dialect, and whether its rules were not verified. */
export const dialectText = ({ dialect, unverified }: StageRecord): string =>
  dialect ? `${DIALECTS[dialect] ?? dialect}${unverified ? ", unverified" : ""}` : "";

/** Why a stage cannot be run, measured or saved as `.pte`; "" if it can. */
export const whyNotLive = ({ state }: StageRecord): string =>
  state === "loaded" ? "This stage is a Snapshot, without a live program" : "";

/** "228 ops", and for a program with delegates "70% on XNNPACK". */
export const opsText = ({ calls = 0, share }: StageRecord): string => share || plural(calls, "op");

/** The same as a sentence; empty if nothing is delegated. */
export function takenText({ on_cpu = 0, delegated = 0 }: StageRecord): string {
  return delegated > 0 ? `${plural(on_cpu, "op")} on the CPU, ${grouped(delegated)} delegated` : "";
}

/** What "+785 −220" counts; empty if nothing was added or removed. */
export function changeText({ change, delegated = 0 }: StageRecord): string {
  const { added = 0, removed = 0 } = change ?? {};
  if (added + removed === 0) return "";
  return [
    `+${grouped(added)} −${grouped(removed)}: calls of ops added and removed by this step`,
    "an op that became another counts as both",
    ...(delegated > 0
      ? ["one that moved into a delegate counts as removed, and a delegate as one call"]
      : []),
  ].join("; ");
}

/** Everything as a sentence, for screen readers; with the changes of its step if they are shown. */
export function ariaText(record: StageRecord, withStep = true): string {
  const { name, state, step, change } = record;
  if (state === "failed") return `${name}, failed: ${record.failure?.reason ?? "no reason given"}`;
  return [
    name,
    dialectText(record),
    takenText(record) || opsText(record),
    withStep &&
      change &&
      `${plural(change.added ?? 0, "call")} added, ${grouped(change.removed ?? 0)} removed`,
    withStep && step.seconds && secondsText(step.seconds),
  ]
    .filter(Boolean)
    .join(", ");
}

export const memoryText = ({ unshared_bytes: bytes = 0 }: StageRecord): string =>
  bytes > 0 ? byteText(bytes) : "";

/** Why a step is unavailable; empty if it is available. Passes need Python, so no form offers them. */
export const whyNot = ({ kind, reason = "" }: Offer): string =>
  reason || (kind === "transform" ? "Python only: stage.transform(my_pass)" : "");
