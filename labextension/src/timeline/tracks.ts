/** The tracks of a timeline and their positions. Pixels from the top left of its canvas. */
import type { Arena } from "../profile";
import type { Timeline } from "./model";

export type Track = { readonly top: number; readonly height: number } & (
  | { readonly type: "axis" | "ops" | "time" | "delegates" | "live" }
  /** A row of modules, the outermost row first. */
  | { readonly type: "modules"; readonly row: number }
  | { readonly type: "arena"; readonly arena: Arena }
);

export const HEIGHTS = { axis: 20, row: 18, time: 40, ops: 14, delegates: 20, live: 46, arena: 70 } as const;
const GAP = 5;
/** The most height of memory in a high timeline. */
const MOST_MEMORY = 150;
/** Rows of modules that are also shown in a low timeline. */
const LEAST_ROWS = 2;

/** Pixels at the right of all tracks. */
export const RIGHT = 10;

/** Pixels at the left for the track names. */
export const gutterOf = (width: number): number => (width < 700 ? 88 : 104);

/** `height` is the available height; tracks that need more exceed it. */
export function tracksOf({ times, live, arenas, sequence }: Timeline, height: number): Track[] {
  const { modules } = sequence;
  const work = times ? ("time" as const) : ("ops" as const);
  const hasDelegates = sequence.delegates.length > 0;
  const memory = arenas.length || (live ? 1 : 0);
  const leastMemory = arenas.length ? HEIGHTS.arena : HEIGHTS.live;
  const fixed =
    HEIGHTS.axis + HEIGHTS[work] + GAP + (hasDelegates ? HEIGHTS.delegates + GAP : 0) + memory * GAP + GAP;
  const rest = height - fixed - memory * leastMemory;
  const rows = Math.max(
    Math.min(LEAST_ROWS, modules.length),
    Math.min(modules.length, Math.floor(rest / HEIGHTS.row)),
  );
  const left = Math.max(0, rest - rows * HEIGHTS.row);
  const each = memory ? Math.min(MOST_MEMORY, leastMemory + left / memory) : 0;
  const tracks: Track[] = [];
  let top = 0;
  const place = (size: number): { top: number; height: number } => {
    const at = { top, height: size };
    top += size;
    return at;
  };
  tracks.push({ type: "axis", ...place(HEIGHTS.axis) });
  for (let row = 0; row < rows; row++) tracks.push({ type: "modules", row, ...place(HEIGHTS.row) });
  top += rows ? GAP : 0;
  tracks.push({ type: work, ...place(HEIGHTS[work]) });
  top += GAP;
  if (hasDelegates) {
    tracks.push({ type: "delegates", ...place(HEIGHTS.delegates) });
    top += GAP;
  }
  if (!arenas.length && live) tracks.push({ type: "live", ...place(each) });
  for (const arena of arenas) {
    tracks.push({ type: "arena", arena, ...place(each) });
    top += GAP;
  }
  return tracks;
}

export const heightOf = (tracks: readonly Track[]): number =>
  Math.max(0, ...tracks.map(({ top, height }) => top + height));

export const trackAt = (tracks: readonly Track[], y: number): Track | undefined =>
  tracks.find(({ top, height }) => top <= y && y < top + height);
