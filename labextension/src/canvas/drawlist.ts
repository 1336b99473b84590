/**
 * Scene + camera + marks → the draw list. Pure: no canvas, no clock. The list holds only what is in view, in
 * painting order: modules from the outermost to the innermost, lines, op boxes, then highlights.
 */

import { type Camera, grown, type Rect, type Size, visibleWorld } from "../geometry/camera";
import { hitsOf, Kind } from "../layout";
import { type Level, levelOf } from "./detail_level";
import { highlightedEdges, linePrimitives } from "./edges";
import { labelPrimitives, touches } from "./labels";
import type { Look } from "./look";
import { modulePrimitives } from "./module_boxes";
import { hasOverviewName, headIn, headPrimitives } from "./module_headers";
import { chipPrimitives, nodePrimitives, type Place } from "./op_boxes";
import { NAMED_MODULE, overviewName } from "./overview_labels";
import type { Primitive } from "./primitives";
import { stretchAt, stretchPrimitives } from "./stretches";
import { smallPart } from "./within";

/** The least height of a box that is painted, in screen pixels. */
const LEAST = 0.9;

/** Everything in view. */
export function drawList(look: Look, camera: Camera, screen: Size): Primitive[] {
  return [...groundList(look, camera, screen), ...markList(look, camera, screen)];
}

/** Boxes and lines: what the cached picture of the whole scene can replace. */
export function groundList(look: Look, camera: Camera, screen: Size): Primitive[] {
  const level = levelOf(camera.zoom);
  const view = grown(visibleWorld(camera, screen), 16);
  const out: Primitive[] = [];
  const nodes: number[] = [];
  const closed: number[] = [];
  const open: number[] = [];
  const { kind } = look.scene;
  const put = (slot: number, make: typeof nodePrimitives): void => {
    const strength = look.strength?.[slot] ?? 1;
    if (strength === 0) return;
    const first = out.length;
    make(look, slot, placeOf(look, slot, camera), level, out);
    if (strength === 1) return;
    for (let i = first; i < out.length; i++) out[i] = { ...out[i]!, alpha: (out[i]!.alpha ?? 1) * strength };
  };
  // A lower box would not fill a pixel: its module shows instead.
  for (const slot of slotsIn(look, view, LEAST / camera.zoom)) {
    if (kind[slot] === Kind.Leaf) nodes.push(slot);
    else if (kind[slot] === Kind.Closed) closed.push(slot);
    else {
      open.push(slot);
      put(slot, modulePrimitives);
    }
  }
  linePrimitives(look, camera, view, level, out);
  highlightedEdges(look, camera, view, level, out);
  const head: typeof nodePrimitives = (look, slot, at, _, out) =>
    headPrimitives(look, slot, headIn(at, screen.width), out);
  for (const slot of open) put(slot, head);
  const makeOf = (slot: number, make: typeof nodePrimitives): typeof nodePrimitives =>
    stretchAt(look, slot) ? stretchPrimitives : make;
  for (const slot of closed) {
    put(slot, makeOf(slot, modulePrimitives));
    if (!stretchAt(look, slot)) put(slot, head);
  }
  for (const slot of nodes) put(slot, makeOf(slot, nodePrimitives));
  if (level === "full" && look.lines === 1) labelPrimitives(look, camera, view, out);
  return out;
}

/** What is painted above boxes and lines in every frame: names of modules when zoomed out, rings. */
export function markList(look: Look, camera: Camera, screen: Size): Primitive[] {
  const level = levelOf(camera.zoom);
  const view = grown(visibleWorld(camera, screen), 16);
  const out: Primitive[] = [];
  const signs = look.above?.(look, camera, screen);
  if (signs) out.push(...signs.under);
  overviewNames(look, camera, view, level, out);
  outlines(look, camera, view, level, out);
  if (level === "full") {
    for (const slot of slotsIn(look, view)) {
      const isOp = look.scene.kind[slot] === Kind.Leaf && !stretchAt(look, slot);
      if (isOp) chipPrimitives(look, slot, placeOf(look, slot, camera), out);
    }
  }
  if (signs) out.push(...signs.over);
  return out;
}

/** Names of open modules from the outermost to the innermost, except those that would cover another. */
function overviewNames(look: Look, camera: Camera, view: Rect, level: Level, out: Primitive[]): void {
  if (level === "full") return;
  const taken: Rect[] = [];
  const placed = (slot: number): Place => placeOf(look, slot, camera);
  for (const slot of slotsIn(look, view, NAMED_MODULE.height / camera.zoom)) {
    if (!hasOverviewName(look, slot, camera.zoom)) continue;
    if (placed(slot).width < NAMED_MODULE.width) continue;
    const name = overviewName(look, slot, placed);
    if (!name || taken.some((other) => touches(name.ground, other))) continue;
    taken.push(name.ground);
    out.push(name.words);
  }
}

/** Slots that touch a rectangle of the world, in painting order, and are at least `least` high. */
export function slotsIn({ rect, scene }: Pick<Look, "rect" | "scene">, view: Rect, least = 0): number[] {
  // The index does not have the positions of moving boxes.
  const part = rect === scene.rect ? smallPart(scene, view) : undefined;
  if (part) return hitsOf(scene).slotsIn(part, least);
  const found: number[] = [];
  const [right, bottom] = [view.x + view.width, view.y + view.height];
  for (let slot = 0, at = 0; slot < scene.item.length; slot++, at += 4) {
    const x = rect[at]!;
    const y = rect[at + 1]!;
    if (rect[at + 3]! < least) continue;
    if (x <= right && y <= bottom && x + rect[at + 2]! >= view.x && y + rect[at + 3]! >= view.y)
      found.push(slot);
  }
  return found;
}

export function placeOf({ rect }: Pick<Look, "rect">, slot: number, camera: Camera): Place {
  const at = 4 * slot;
  const { zoom } = camera;
  const x = (rect[at]! - camera.x) * zoom;
  const y = (rect[at + 1]! - camera.y) * zoom;
  return { x, y, width: rect[at + 2]! * zoom, height: rect[at + 3]! * zoom, zoom };
}

/** Rings around what is selected, found, or under the pointer; dashed ones around what belongs to the selection. */
function outlines(look: Look, camera: Camera, view: Rect, level: Level, out: Primitive[]): void {
  const { marks, theme, scene } = look;
  const ring = (slot: number, line: string, lineWidth: number, gap: number, dashed = false): void => {
    const at = placeOf(look, slot, camera);
    const radius = (scene.kind[slot] === Kind.Leaf ? 6 : 9) * Math.min(1, camera.zoom) + gap;
    const [x, y] = [at.x - gap, at.y - gap];
    out.push({
      type: "box",
      x,
      y,
      width: at.width + 2 * gap,
      height: at.height + 2 * gap,
      radius,
      line,
      lineWidth,
      ...(dashed && { dashed }),
    });
  };
  const width = level === "shapes" ? 1.5 : 2;
  if (marks.matches) {
    for (const slot of slotsIn(look, view)) {
      if (marks.matches[slot] && scene.kind[slot] !== Kind.Open) ring(slot, theme.match, width, 1);
    }
  }
  if (marks.hovered >= 0 && !marks.selected.has(marks.hovered)) ring(marks.hovered, theme.accent, 1.25, 0);
  for (const slot of marks.parts ?? []) ring(slot, theme.accent, 2, 1, true);
  for (const slot of marks.selected) if (slot >= 0) ring(slot, theme.accent, 2.5, 0);
}
