/** Signs and text on the boxes of a superimposed graph: changes, and what a node was before. Pure. */

import { type Level, levelOf, textScale } from "../../canvas/detail_level";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import type { Look, Signs } from "../../canvas/look";
import type { Place } from "../../canvas/op_boxes";
import type { Primitive } from "../../canvas/primitives";
import { font, fontSize } from "../../canvas/theme";
import { type Camera, type Size, visibleWorld } from "../../geometry/camera";
import { Kind } from "../../layout";
import { type Changes, titleOf } from "../model/changes";
import { colorOf, isChange, textColorOf } from "../view/change_colors";
import { groupKind, outline, signPrimitives } from "../view/change_signs";
import type { SuperimposedGraph } from "./superimposed_graph";

/** `hasText`: whether the lower edge of a slot's box already has text. */
export function superimposedSigns(
  superimposed: SuperimposedGraph,
  hasText: (slot: number) => boolean,
  look: Look,
  camera: Camera,
  screen: Size,
): Signs {
  const signs = signPrimitives(superimposed.tally, superimposed.highlighted(), look, camera, screen);
  const [under, over]: [Primitive[], Primitive[]] = [[...signs.under], [...signs.over]];
  const level = levelOf(camera.zoom);
  const { scene, picture } = look;
  for (const slot of slotsIn(look, visibleWorld(camera, screen))) {
    const [item = -1, kind] = [scene.item[slot], scene.kind[slot]];
    const node = picture.nodeOf(item);
    if (kind === Kind.Open) wholly(superimposed, item, placeOf(look, slot, camera), level, under);
    else if (kind === Kind.Leaf && level === "full" && node >= 0 && !hasText(slot))
      label(look, placeOf(look, slot, camera), superimposed.union.changes, node, over);
  }
  return { under, over };
}

/** A removed module keeps its dashed outline under any colours. */
export function removedModules(
  superimposed: SuperimposedGraph,
  look: Look,
  camera: Camera,
  screen: Size,
): Primitive[] {
  const level = levelOf(camera.zoom);
  const { scene } = look;
  if (level === "shapes") return [];
  return slotsIn(look, visibleWorld(camera, screen)).flatMap((slot) => {
    if (scene.kind[slot] === Kind.Leaf || groupKind(superimposed.tally.countsAt(scene, slot)) !== "removed")
      return [];
    return [outline(placeOf(look, slot, camera), 9, "removed", level)];
  });
}

/** The outline of an open module that only one side has, like that of its nodes. */
function wholly(
  superimposed: SuperimposedGraph,
  item: number,
  at: Place,
  level: Level,
  out: Primitive[],
): void {
  const kind = groupKind(superimposed.tally.counts(item));
  if ((kind === "removed" || kind === "added") && level !== "shapes") out.push(outline(at, 9, kind, level));
}

/** "was linear", "was f32[2, 3]": the first node of a match before, if it differs from the node. */
function before(changes: Changes, node: number): string {
  const match = changes.of(1, node);
  const kind = match < 0 ? "same" : changes.kind(match);
  if ((kind !== "rewritten" && kind !== "changed") || changes.nodes(match, 1)[0] !== node) return "";
  const [a, b] = changes.snapshots;
  const nodes = changes.nodes(match, 0);
  const [first] = nodes;
  if (first === undefined) return "";
  const ops = nodes.map((each) => titleOf(a, each)).join(" + ");
  if (kind === "rewritten" || ops !== titleOf(b, node)) return `was ${ops}`;
  const value = a.valueText(first);
  return value === b.valueText(node) || value === "–" ? "" : `was ${value}`;
}

/** What a node was before, on the bottom edge of its box, from the left. */
function label(look: Look, at: Place, changes: Changes, node: number, out: Primitive[]): void {
  const { theme, clip, width: measure } = look;
  const [text, kind] = [before(changes, node), changes.kindOf(1, node)];
  if (!text || !isChange(kind)) return;
  const scale = textScale(at.zoom, fontSize("chip"));
  const pad = 5 * scale;
  const shown = clip(text, "chip", (at.width - 16 * at.zoom - 2 * pad) / scale);
  if (!shown) return;
  const width = measure(shown, "chip") * scale + 2 * pad;
  const height = 14 * scale;
  const [x, y] = [at.x + 8 * at.zoom, at.y + at.height - 3 * at.zoom];
  const line = colorOf(kind);
  out.push({ type: "box", x, y, width, height, radius: height / 2, fill: theme.box, line, lineWidth: 1 });
  out.push({
    type: "text",
    x: x + pad,
    y: y + height * 0.72,
    text: shown,
    font: font(theme, "chip", scale),
    color: textColorOf(kind, theme.isDark),
  });
}
