/**
 * From one scene to the next: where each box of the new one comes from. A box that was not seen grows out of the
 * module that held it. Pure.
 */
import type { Scene } from "../layout";
import type { Picture } from "../picture";

/** Milliseconds, ease-out. */
export const DURATION = 200;

export const eased = (t: number): number => 1 - (1 - Math.min(1, Math.max(0, t))) ** 3;

/** The rectangle in which each slot of `next` begins; `slotBefore`: the slot it had, or -1. */
export function startRects(
  picture: Picture,
  lastRect: Float64Array,
  next: Scene,
  slotBefore: (slot: number) => number,
): Float64Array {
  const start = new Float64Array(next.rect.length);
  for (let slot = 0; slot < next.item.length; slot++) {
    const item = next.item[slot]!;
    const before = slotBefore(slot);
    if (before >= 0) {
      start.set(lastRect.subarray(4 * before, 4 * before + 4), 4 * slot);
      continue;
    }
    const parent = picture.parentOf(item);
    const holder = parent === -1 ? -1 : next.slotOf[parent]!;
    if (holder < 0) start.set(next.rect.subarray(4 * slot, 4 * slot + 4), 4 * slot);
    else within(start, next.rect, slot, holder);
  }
  return start;
}

/** Places a slot in its holder's start as it stands in its holder's end. Holders come before what they hold. */
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
