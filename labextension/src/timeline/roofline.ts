/**
 * The roofline of a profile, as `exir_viz/figures/roofline.py` draws it: FLOPs per second against FLOPs per
 * byte. The roofs are the best values of this run, not the machine's limits. Only ops with known FLOPs and
 * bytes.
 */
import type { Profile } from "../profile";
import type { Sequence } from "./sequence";

export interface Point {
  readonly op: number;
  readonly node: number;
  /** FLOPs per byte. */
  readonly intensity: number;
  /** FLOPs per second. */
  readonly rate: number;
  /** Nanoseconds. */
  readonly time: number;
}

export interface Roofline {
  /** In execution order. */
  readonly points: readonly Point[];
  /** FLOPs per second, and bytes per second. */
  readonly roofs: { readonly rate: number; readonly bandwidth: number };
  readonly longest: number;
}

/** Undefined if no op has time, FLOPs and bytes. */
export function rooflineOf({ nodes }: Sequence, profile: Profile | undefined): Roofline | undefined {
  if (!profile) return undefined;
  const points: Point[] = [];
  let bandwidth = 0;
  nodes.forEach((node, op) => {
    const [time = 0, flops = 0, bytes = 0] = (["time", "flops", "bytes_moved"] as const).map((column) =>
      profile.of(column, node),
    );
    if (!(time > 0 && bytes > 0)) return;
    bandwidth = Math.max(bandwidth, (bytes / time) * 1e9);
    if (flops > 0) points.push({ op, node, intensity: flops / bytes, rate: (flops / time) * 1e9, time });
  });
  if (points.length === 0) return undefined;
  const rate = points.reduce((most, point) => Math.max(most, point.rate), 0);
  const longest = points.reduce((most, { time }) => Math.max(most, time), 0);
  return { points, roofs: { rate, bandwidth }, longest };
}

/** A logarithmic axis over pixels. */
export interface LogAxis {
  /** Decimal logarithms. */
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** Around all values, with some space at both ends. */
export function logAxis(values: readonly number[], start: number, end: number): LogAxis {
  const logs = values.map(Math.log10);
  const low = logs.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const high = logs.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  const room = Math.max(0.15, (high - low) * 0.06);
  return { from: low - room, to: high + room, start, end };
}

export const logPlace = ({ from, to, start, end }: LogAxis, value: number): number =>
  start + ((Math.log10(value) - from) / (to - from)) * (end - start);

/** Powers of ten in view; if there are few, also their multiples by two and five. */
export function logTicks({ from, to }: LogAxis): number[] {
  const ticks: number[] = [];
  const parts = to - from < 1.5 ? [1, 2, 5] : [1];
  for (let power = Math.floor(from); power <= to; power++)
    for (const part of parts) {
      const value = part * 10 ** power;
      if (Math.log10(value) >= from && Math.log10(value) <= to) ticks.push(value);
    }
  return ticks;
}

/** The nearest point whose circle contains a position. */
export function pointAt(
  places: readonly { readonly x: number; readonly y: number; readonly radius: number }[],
  x: number,
  y: number,
): number {
  let found = -1;
  let best = Number.POSITIVE_INFINITY;
  places.forEach((place, i) => {
    const away = Math.hypot(place.x - x, place.y - y);
    if (away <= Math.max(5, place.radius) && away < best) [found, best] = [i, away];
  });
  return found;
}
