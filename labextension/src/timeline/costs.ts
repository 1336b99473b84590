/** The cost of each op in execution order: its time and the bytes alive while it runs. NaN if unknown. */
import type { Profile } from "../profile";
import type { MethodMemory } from "../snapshot";
import type { Sequence } from "./sequence";

export interface Live {
  /** By op. */
  readonly bytes: Float64Array;
  readonly most: number;
  /** The op at which most bytes are alive. */
  readonly peak: number;
  readonly basis: "measured" | "planned" | "shapes";
  /** Values whose size no example input decides: they are not included. */
  readonly unknown: number;
  /** The sizes of symbols: "batch = 4". */
  readonly sizes: string;
}

export interface Times {
  /** By op, with its parts such as `getitem`: nanoseconds. */
  readonly own: Float64Array;
  /** By op: the time of its parts alone. */
  readonly parts: Float64Array;
  /** By op, and one more: the time of all ops before it. */
  readonly before: Float64Array;
  readonly most: number;
  /** The share of the run, including overhead. */
  readonly share: (time: number) => number;
}

/** Undefined if no op has a time. */
export function timesOf(sequence: Sequence, profile: Profile | undefined): Times | undefined {
  if (!profile) return undefined;
  const { nodes, opOf } = sequence;
  const own = Float64Array.from(nodes, (node) => profile.of("time", node) ?? Number.NaN);
  const parts = new Float64Array(own.length);
  profile.nodes.forEach((node, row) => {
    const op = opOf[node] ?? -1;
    const time = op < 0 || nodes[op] === node ? undefined : profile.at("time", row);
    if (time === undefined) return;
    parts[op] = (parts[op] ?? 0) + time;
    own[op] = (own[op] || 0) + time;
  });
  const before = new Float64Array(own.length + 1);
  let most = 0;
  own.forEach((time, op) => {
    before[op + 1] = (before[op] ?? 0) + (time > 0 ? time : 0);
    if (time > most) most = time;
  });
  return most > 0 ? { own, parts, before, most, share: (time) => profile.share(time) } : undefined;
}

/** Of ops `first` to `last`. */
export const timeWithin = ({ before }: Times, first: number, last: number): number =>
  (before[last + 1] ?? 0) - (before[first] ?? 0);

/** As measured by a profile; else as planned, or computed from shapes. Undefined if unknown. */
export function liveOf(
  sequence: Sequence,
  profile: Profile | undefined,
  memory: MethodMemory | undefined,
): Live | undefined {
  const measured =
    profile && Float64Array.from(sequence.nodes, (node) => profile.of("live_bytes", node) ?? NaN);
  if (measured?.some((bytes) => bytes >= 0)) return liveAs(measured, "measured");
  const { live = [], arenas = [], unknown = 0, sizes = "" } = memory ?? {};
  const bytes = Float64Array.from(sequence.steps, (step) => live[step] ?? NaN);
  if (!bytes.some((each) => each > 0)) return undefined;
  return liveAs(bytes, arenas.length ? "planned" : "shapes", unknown, sizes);
}

function liveAs(bytes: Float64Array, basis: Live["basis"], unknown = 0, sizes = ""): Live {
  let peak = 0;
  let most = -1;
  bytes.forEach((each, op) => {
    if (each > most) [most, peak] = [each, op];
  });
  return { bytes, most: Math.max(0, most), peak, basis, unknown, sizes };
}
