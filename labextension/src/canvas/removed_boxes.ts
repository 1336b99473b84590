/** Removed items in a picture: dashed, pale boxes and the lines that led to them. */

import type { Camera, Rect } from "../geometry/camera";
import type { Scene } from "../layout";
import type { Level } from "./detail_level";
import type { Look } from "./look";
import type { Place } from "./op_boxes";
import type { LinesPrimitive, Primitive } from "./primitives";
import { groundAt } from "./tint";
import { edgesIn } from "./within";

export interface Removed {
  /** Slots of removed boxes. */
  readonly boxes: ReadonlySet<number>;
  readonly edges: ReadonlySet<number>;
  readonly color: string;
}

/** The removed items of a scene. */
export type RemovedIn = (scene: Scene) => Removed;

export const isRemoved = ({ removed, scene }: Look, slot: number): boolean =>
  removed?.(scene).boxes.has(slot) ?? false;

/** Strokes without those of values that flow to a removed box. */
export function withoutRemoved(look: Look, strokes: readonly number[]): readonly number[] {
  const removed = look.removed?.(look.scene);
  if (!removed?.edges.size) return strokes;
  const values = valuesOf(look.scene, removed);
  return strokes.filter((stroke) => !values.has(look.scene.strokes.value[stroke] ?? -1));
}

/** Lines of those values one by one: solid to remaining boxes, dashed to removed ones. */
export function removedPrimitives(
  look: Look,
  camera: Camera,
  view: Rect,
  level: Level,
  out: Primitive[],
): void {
  const { scene, theme, lines, marks } = look;
  const removed = look.removed?.(scene);
  if (!removed?.edges.size || lines <= 0) return;
  const values = valuesOf(scene, removed);
  const still: number[] = [];
  const toRemoved: number[] = [];
  for (const edge of edgesIn(scene, view, camera)) {
    if (removed.edges.has(edge)) toRemoved.push(edge);
    else if (values.has(scene.edgeValue[edge] ?? -1)) still.push(edge);
  }
  const width = Math.max(0.6, 1.25 * Math.min(1.4, camera.zoom));
  const alpha = (marks.bright ? 0.22 : 1) * lines;
  const heads = level !== "shapes";
  const put = (ids: readonly number[], more: Pick<LinesPrimitive, "color" | "dashed">): void => {
    if (ids.length) out.push({ type: "lines", of: "edges", ids, width, heads, alpha, ...more });
  };
  put(still, { color: theme.edge });
  put(toRemoved, { color: removed.color, dashed: true });
}

/** A box without a fill, unless its colour has a meaning. What is behind it shows through, except lines. */
export function removedBox(look: Look, slot: number, at: Place, level: Level, out: Primitive[]): void {
  const { theme, picture, scene } = look;
  const around = picture.parentOf(scene.item[slot] ?? 0);
  const { x, y, width, height } = at;
  out.push({
    type: "box",
    x,
    y,
    width,
    height,
    radius: level === "shapes" ? 0 : 6 * Math.min(1, at.zoom),
    fill: look.paint?.(slot) ?? groundAt(look, around < 0 ? -1 : (scene.slotOf[around] ?? -1)),
    line: look.removed?.(scene).color ?? theme.boxLine,
    lineWidth: level === "shapes" ? 1 : 1.5,
    dashed: true,
  });
}

const known = new WeakMap<Removed, ReadonlySet<number>>();

/** Values that flow along removed edges. */
function valuesOf(scene: Scene, removed: Removed): ReadonlySet<number> {
  const found = known.get(removed);
  if (found) return found;
  const values = new Set<number>();
  for (const edge of removed.edges) values.add(scene.edgeValue[edge] ?? -1);
  known.set(removed, values);
  return values;
}
