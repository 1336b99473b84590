/** What is under a point of a timeline. */
import type { Planned } from "../profile";
import { type Axis, opAtX } from "./axis";
import type { Timeline } from "./model";
import { placeOf } from "./paint";
import { spanAt } from "./sequence";
import { delegateLines, moduleLines, opLines, plannedLines } from "./timeline_text";
import { type Track, trackAt } from "./tracks";

export type Hit = { readonly op: number } & (
  | { readonly type: "op" }
  | { readonly type: "module"; readonly scope: number; readonly first: number; readonly last: number }
  | { readonly type: "delegate"; readonly index: number; readonly first: number; readonly last: number }
  | { readonly type: "value"; readonly value: Planned }
);

/** Undefined left of the tracks. */
export function hitAt(
  timeline: Timeline,
  axis: Axis,
  tracks: readonly Track[],
  x: number,
  y: number,
): Hit | undefined {
  if (x < axis.left || timeline.sequence.nodes.length === 0) return undefined;
  const op = opAtX(axis, x);
  const track = trackAt(tracks, y);
  if (track?.type === "modules") {
    const row = timeline.sequence.modules[track.row];
    const span = row ? spanAt(row, op) : -1;
    if (row && span >= 0) {
      const [scope = 0, first = 0, last = 0] = [row.scope[span], row.first[span], row.last[span]];
      return { type: "module", op, scope, first, last };
    }
  }
  if (track?.type === "delegates") {
    const index = timeline.sequence.delegates.findIndex(({ first, last }) => first <= op && op <= last);
    const span = timeline.sequence.delegates[index];
    if (span) return { type: "delegate", op, index, first: span.first, last: span.last };
  }
  if (track?.type === "arena") {
    const value = track.arena.values.find((each) => {
      const at = placeOf(timeline, axis, track, track.arena, each);
      return at.x <= x && x < at.x + Math.max(1, at.width) && at.y <= y && y < at.y + Math.max(1, at.height);
    });
    if (value) return { type: "value", op, value };
  }
  return { type: "op", op };
}

export function linesOf(timeline: Timeline, hit: Hit): string[] {
  switch (hit.type) {
    case "module":
      return moduleLines(timeline, hit.scope, hit.first, hit.last);
    case "delegate":
      return delegateLines(timeline, hit.index);
    case "value":
      return plannedLines(timeline, hit.value);
    default:
      return opLines(timeline, hit.op);
  }
}
