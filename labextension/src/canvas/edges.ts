/** Primitives of edges: all strokes in view, then highlighted edges, whole and in the accent colour. */
import type { Camera, Rect } from "../geometry/camera";
import type { Level } from "./detail_level";
import type { Look } from "./look";
import type { Primitive } from "./primitives";
import { edgesAt, edgesIn, strokesIn } from "./within";

/**
 * Strokes in one primitive: one path of thousands of segments is slower to paint than several of hundreds.
 */
const BATCH = 400;
/** Screen pixels at zoom 1. */
const WIDTH = 1.25;

export function linePrimitives(look: Look, camera: Camera, view: Rect, level: Level, out: Primitive[]): void {
  const { scene, theme, marks } = look;
  if (look.lines <= 0) return;
  // Zoomed out, a shorter stroke would be a dot without meaning.
  const shortest = level === "shapes" ? 2.5 / camera.zoom : 0;
  const ids = strokesIn(scene, view, shortest);
  const faint = marks.bright ? 0.22 : level === "shapes" ? 0.65 : 1;
  const heads = level !== "shapes";
  const alpha = faint * look.lines;
  for (const [weight, some] of byWeight(look, ids)) {
    const width = Math.max(0.6, weight * Math.min(1.4, camera.zoom));
    for (let from = 0; from < some.length; from += BATCH) {
      const batch = some.slice(from, from + BATCH);
      out.push({ type: "lines", of: "strokes", ids: batch, color: theme.edge, width, heads, alpha });
    }
  }
}

/** Strokes grouped by their width at zoom 1. */
function byWeight(look: Look, ids: readonly number[]): ReadonlyMap<number, number[]> {
  if (!look.isWeighted) return new Map([[WIDTH, [...ids]]]);
  const groups = new Map<number, number[]>();
  for (const id of ids) {
    const weight = weightOf(look, look.scene.strokes.value[id]!);
    const group = groups.get(weight);
    if (group) group.push(id);
    else groups.set(weight, [id]);
  }
  return groups;
}

/** Edges of selected boxes and of the box under the pointer, and edges between highlighted boxes. */
export function highlightedEdges(
  look: Look,
  camera: Camera,
  view: Rect,
  level: Level,
  out: Primitive[],
): void {
  const { scene, marks, theme } = look;
  if (look.lines < 1) return;
  const own = edgesAt(scene, [...marks.selected, marks.hovered]);
  if (marks.edge >= 0) own.add(marks.edge);
  const accent = [...own].sort((a, b) => a - b);
  const bright: number[] = [];
  if (marks.bright) {
    for (const e of edgesIn(scene, view, camera)) {
      if (own.has(e)) continue;
      if (marks.bright[scene.edgeSource[e]!] && marks.bright[scene.edgeTarget[e]!]) bright.push(e);
    }
  }
  const heads = level !== "shapes";
  const width = Math.max(0.8, 1.4 * Math.min(1.4, camera.zoom));
  if (bright.length) out.push({ type: "lines", of: "edges", ids: bright, color: theme.edge, width, heads });
  const wide = Math.max(1.4, 2.2 * Math.min(1.3, camera.zoom));
  if (accent.length)
    out.push({ type: "lines", of: "edges", ids: accent, color: theme.accent, width: wide, heads });
}

/** Screen pixels at zoom 1, from less than 1 KB to more than 64 MB. */
const WIDTHS = [0.8, 1.3, 2, 3, 4.2, 5.6] as const;

/** The width of a line by the bytes of its tensor: one step for each factor of 16. */
function weightOf({ picture }: Look, leaf: number): number {
  const node = picture.nodeOf(leaf);
  const bytes = node < 0 ? 0 : (picture.values.bytes(node) ?? 0);
  const step = bytes < 1024 ? 0 : 1 + Math.floor(Math.log2(bytes / 1024) / 4);
  return WIDTHS[Math.min(WIDTHS.length - 1, step)] ?? WIDTHS[0];
}
