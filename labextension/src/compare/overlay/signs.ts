/** What stands on the boxes of one picture of both: the signs of changes, and what a node was before. Pure. */
import { type Camera, type Size, visibleWorld } from "../../canvas/camera";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import { levelOf, textScale } from "../../canvas/level";
import type { Look } from "../../canvas/look";
import type { Place } from "../../canvas/nodes";
import type { Primitive } from "../../canvas/primitives";
import { font, fontSize } from "../../canvas/theme";
import { Kind } from "../../layout";
import { type Changes, titleOf } from "../changes";
import { colorOf, inkOf, isChange } from "../colors";
import { signPrimitives } from "../signs";
import type { Overlay } from "./overlay";

export function overlayPrimitives(overlay: Overlay, look: Look, camera: Camera, screen: Size): Primitive[] {
  const out = signPrimitives(
    overlay.tally,
    { slots: overlay.lit(), isSameHidden: overlay.isSameHidden },
    look,
    camera,
    screen,
  );
  if (levelOf(camera.zoom) !== "full") return out;
  const { scene, picture } = look;
  for (const slot of slotsIn(look, visibleWorld(camera, screen))) {
    if (scene.kind[slot] !== Kind.Leaf) continue;
    const node = picture.nodeOf(scene.item[slot] ?? -1);
    const was = node < 0 ? "" : before(overlay.union.changes, node);
    if (was) label(look, placeOf(look, slot, camera), was, overlay.union.changes.kindOf(1, node), out);
  }
  return out;
}

/** "was linear", "was f32[2, 3]": what the first node of a match was, where that is not what it is. */
export function before(changes: Changes, node: number): string {
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

/** On the bottom edge, from the left. */
function label(
  look: Look,
  at: Place,
  text: string,
  kind: ReturnType<Changes["kind"]>,
  out: Primitive[],
): void {
  const { theme, clip, width: measure } = look;
  if (!isChange(kind)) return;
  const scale = textScale(at.zoom, fontSize("chip"));
  const pad = 5 * scale;
  const shown = clip(text, "chip", (at.width - 16 * at.zoom - 2 * pad) / scale);
  if (!shown) return;
  const width = measure(shown, "chip") * scale + 2 * pad;
  const height = 14 * scale;
  const [x, y] = [at.x + 8 * at.zoom, at.y + at.height - height / 2];
  out.push({
    type: "box",
    x,
    y,
    width,
    height,
    radius: height / 2,
    fill: theme.box,
    line: colorOf(kind),
    lineWidth: 1,
  });
  out.push({
    type: "text",
    x: x + pad,
    y: y + height * 0.72,
    text: shown,
    font: font(theme, "chip", scale),
    color: inkOf(kind, theme.isDark),
  });
}
