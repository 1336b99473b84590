/** Where a step failed: rings and crosses on the nodes of its findings, and the findings as text. */

import { levelOf } from "../canvas/detail_level";
import { placeOf, slotsIn } from "../canvas/drawlist";
import type { Above, Look } from "../canvas/look";
import type { Place } from "../canvas/op_boxes";
import type { Primitive } from "../canvas/primitives";
import { font, fontSize } from "../canvas/theme";
import { slotsOf } from "../explorer/focus";
import { type Camera, type Size, visibleWorld } from "../geometry/camera";
import { Kind, type Scene } from "../layout";
import type { Picture } from "../picture";
import type { Snapshot } from "../snapshot";
import type { Finding } from "../stages";

/** Colours on a light and a dark background: of rings and discs, and of the sign on a disc. */
const PROBLEM = {
  light: { color: "#b3261e", ink: "#ffffff" },
  dark: { color: "#ff8a80", ink: "#141414" },
} as const;

export interface Failing {
  readonly above: Above;
  /** The findings at a box's node; empty if there are none. */
  readonly says: (item: number) => string;
}

/** `findings`: of a step that began with the program that is shown. */
export function failingIn(picture: Picture, findings: readonly Finding[]): Failing | undefined {
  const { snapshot } = picture;
  const texts = textsByNode(snapshot, findings);
  if (texts.size === 0) return undefined;
  let last: { readonly scene: Scene; readonly marks: Uint8Array } | undefined;
  const marksIn = (scene: Scene): Uint8Array => {
    if (last?.scene !== scene)
      last = { scene, marks: slotsOf(picture, scene.slotOf, scene.item.length, texts.keys()) };
    return last.marks;
  };
  return {
    above: (look, camera, screen) => {
      const made: Made = { under: [], over: [] };
      if (look.picture === picture) signs(look, marksIn(look.scene), camera, screen, made);
      return made;
    },
    says: (item) => texts.get(picture.nodeOf(item)) ?? "",
  };
}

function textsByNode(snapshot: Snapshot, findings: readonly Finding[]): Map<number, string> {
  const texts = new Map<number, string>();
  for (const { node: name, text } of findings) {
    const node = name ? snapshot.find(name) : undefined;
    if (node !== undefined && !texts.has(node)) texts.set(node, `failed: ${text}`);
  }
  return texts;
}

interface Made {
  readonly under: Primitive[];
  readonly over: Primitive[];
}

/** Boxes inside an open module have marks of their own. */
function signs(look: Look, marks: Uint8Array, camera: Camera, screen: Size, out: Made): void {
  for (const slot of slotsIn(look, visibleWorld(camera, screen))) {
    if (!marks[slot] || look.scene.kind[slot] === Kind.Open) continue;
    sign(look, placeOf(look, slot, camera), out);
  }
}

/** The ring is below the text at its edge, the disc above everything. */
function sign({ theme }: Look, at: Place, { under, over }: Made): void {
  const { color, ink } = theme.isDark ? PROBLEM.dark : PROBLEM.light;
  const { x, y, width, height, zoom } = at;
  const radius = 6 * Math.min(1, zoom);
  under.push({ type: "box", x, y, width, height, radius, line: color, lineWidth: 2.5 });
  const disc = levelOf(zoom) === "shapes" ? 3 : 7.5;
  const [left, top] = [x + width - disc, y - disc];
  over.push({
    type: "box",
    x: left,
    y: top,
    width: 2 * disc,
    height: 2 * disc,
    radius: disc,
    fill: color,
    line: theme.box,
    lineWidth: 1.5,
  });
  if (levelOf(zoom) === "shapes") return;
  over.push({
    type: "text",
    x: left + disc,
    y: top + disc * 1.5,
    text: "×",
    font: font(theme, "op", (disc * 1.7) / fontSize("op")),
    color: ink,
    align: "center",
  });
}
