/**
 * From one scene to the next: where each box of the new scene starts. A new box splits from the box that it
 * was made from, or grows out of its module. Pure.
 */
import type { Scene } from "../layout";
import type { Picture } from "../picture";

/** Milliseconds, ease-out. */
export const DURATION = 200;
/** Milliseconds from one stage to the next. */
export const STAGE_DURATION = 600;

export const eased = (t: number): number => 1 - (1 - Math.min(1, Math.max(0, t))) ** 3;

/** From 0 at `from` to 1 at `to`, slow at both ends. */
function ramp(t: number, from: number, to: number): number {
  const part = Math.min(1, Math.max(0, (t - from) / (to - from)));
  return part * part * (3 - 2 * part);
}

/**
 * The phases of a change between stages, by the share of its time: old lines fade out, boxes move and split
 * while colours change, new lines fade in. Forwards and backwards are the same, so it can be dragged both
 * ways.
 */
export const PHASES = {
  oldLines: (t: number): number => 1 - ramp(t, 0, 0.1),
  move: (t: number): number => ramp(t, 0.05, 0.8),
  come: (t: number): number => ramp(t, 0.1, 0.55),
  go: (t: number): number => 1 - ramp(t, 0.25, 0.7),
  /** `at`: the vertical position on the screen, 0 … 1. */
  tint: (t: number, at: number): number => ramp(t, 0.2 + 0.45 * at, 0.5 + 0.45 * at),
  newLines: (t: number): number => ramp(t, 0.8, 1),
} as const;

/**
 * The rectangle in which each slot of `next` starts. `slotBefore`: the slot that it had, or -1. `splitFrom`:
 * for a new slot, the old slot that it shares with its siblings.
 */
export function startRects(
  picture: Picture,
  lastRect: Float64Array,
  next: Scene,
  slotBefore: (slot: number) => number,
  splitFrom?: Int32Array,
): Float64Array {
  const start = new Float64Array(next.rect.length);
  const parts = splitFrom && new Parts(splitFrom);
  for (let slot = 0; slot < next.item.length; slot++) {
    const item = next.item[slot]!;
    const before = slotBefore(slot);
    const whole = splitFrom?.[slot] ?? -1;
    if (before >= 0) {
      start.set(lastRect.subarray(4 * before, 4 * before + 4), 4 * slot);
      continue;
    }
    if (parts && whole >= 0) {
      parts.place(start, next.rect, slot, lastRect.subarray(4 * whole, 4 * whole + 4), whole);
      continue;
    }
    const parent = picture.parentOf(item);
    const holder = parent === -1 ? -1 : next.slotOf[parent]!;
    if (holder < 0) start.set(next.rect.subarray(4 * slot, 4 * slot + 4), 4 * slot);
    else within(start, next.rect, slot, holder);
  }
  return start;
}

/** Boxes that split from one box: they start one below the other inside it. */
class Parts {
  private readonly count = new Map<number, number>();
  private readonly placed = new Map<number, number>();

  constructor(splitFrom: Int32Array) {
    for (const whole of splitFrom) if (whole >= 0) this.count.set(whole, (this.count.get(whole) ?? 0) + 1);
  }

  place(start: Float64Array, end: Float64Array, slot: number, box: Float64Array, whole: number): void {
    const [x = 0, y = 0, width = 0, height = 0] = box;
    const number = this.placed.get(whole) ?? 0;
    this.placed.set(whole, number + 1);
    const room = height / (this.count.get(whole) ?? 1);
    const [w, h] = [Math.min(width, end[4 * slot + 2]!), Math.min(room, end[4 * slot + 3]!)];
    start.set([x + (width - w) / 2, y + room * number + (room - h) / 2, w, h], 4 * slot);
  }
}

/**
 * Places a slot inside its holder's start as it is inside its holder's end. Holders come before what they
 * hold.
 */
function within(start: Float64Array, end: Float64Array, slot: number, holder: number): void {
  for (const axis of [0, 1]) {
    const from = start[4 * holder + axis]!;
    const scale = start[4 * holder + 2 + axis]! / Math.max(1, end[4 * holder + 2 + axis]!);
    start[4 * slot + axis] = from + (end[4 * slot + axis]! - end[4 * holder + axis]!) * scale;
    start[4 * slot + 2 + axis] = end[4 * slot + 2 + axis]! * scale;
  }
}

export function mixedRects(start: Float64Array, end: Float64Array, t: number): Float64Array {
  return end.map((to, i) => start[i]! + (to - start[i]!) * t);
}
