/**
 * Dtype and shape beside lines, where there is room. A box shows its own value, so only lines that leave a
 * module have labels. A label covers no box, no other label and no line of the same module.
 */

import type { Camera, Rect } from "../geometry/camera";
import { groupBy, Kind, lineMeets, type Scene } from "../layout";
import { textScale } from "./detail_level";
import type { Look } from "./look";
import type { Primitive } from "./primitives";
import { font, fontSize } from "./theme";
import { dimOnTint, groundAt } from "./tint";

interface Label extends Rect {
  readonly text: string;
  readonly edge: number;
  /** Slot of the module that contains the label; -1 at the top. */
  readonly within: number;
}

const HEIGHT = 12;
/** World pixels between a line and its label. */
const GAP = 6;
/** This many points of a line count as its beginning. */
const FIRST = 6;
/** The side of a grid square, in world pixels. */
const CELL = 200;
/** Below zoom 1 a label keeps its screen size, so it is this much larger in the world. */
const FAR = 1.45;
/** By scene, for the sizes that are tried, by how much labels are enlarged. */
const made = new WeakMap<Scene, { sizes: unknown; byStretch: Map<number, readonly Label[]> }>();

export function labelPrimitives(look: Look, camera: Camera, view: Rect, out: Primitive[]): void {
  const { theme, scene, marks } = look;
  const scale = textScale(camera.zoom, fontSize("label"));
  const face = font(theme, "label", scale);
  for (const label of labelsOf(look, scale > camera.zoom ? FAR : 1)) {
    if (!touches(label, view)) continue;
    const isDimmed = marks.bright && !marks.bright[scene.edgeSource[label.edge]!];
    const x = (label.x - camera.x) * camera.zoom;
    const y = (label.y - camera.y) * camera.zoom + (HEIGHT - 2.5) * scale;
    const alpha = isDimmed ? 0.28 : 1;
    out.push({
      type: "text",
      x,
      y,
      text: label.text,
      font: face,
      color: dimOnTint(theme),
      alpha,
      halo: groundAt(look, label.within),
    });
  }
}

function labelsOf(look: Look, stretch: number): readonly Label[] {
  const { sizes } = look.picture.values;
  const kept = made.get(look.scene);
  const byStretch = kept && kept.sizes === sizes ? kept.byStretch : new Map<number, readonly Label[]>();
  const labels = byStretch.get(stretch) ?? placed(look, stretch);
  made.set(look.scene, { sizes, byStretch: byStretch.set(stretch, labels) });
  return labels;
}

function placed(look: Look, stretch: number): Label[] {
  const { scene, picture } = look;
  const taken = new Grid(scene);
  const lines = groupBy(scene.item.length, scene.edgeSource);
  const meetsLine = (source: number, label: Rect): boolean =>
    lines.item
      .subarray(lines.start[source]!, lines.start[source + 1]!)
      .some((e) => isOnLine(scene, e, label));
  const labels: Label[] = [];
  const done = new Set<string>();
  for (let e = 0; e < scene.edgeSource.length; e++) {
    const source = scene.edgeSource[e]!;
    if (scene.kind[source] === Kind.Leaf) continue;
    const key = `${source} ${scene.edgeValue[e]}`;
    if (done.has(key)) continue;
    done.add(key);
    const node = picture.nodeOf(scene.edgeValue[e]!);
    const text = node < 0 ? "" : picture.values.text(node);
    if (!text || text === "–" || text.length > 40) continue;
    const parent = picture.parentOf(scene.item[source]!);
    const within = parent < 0 ? -1 : scene.slotOf[parent]!;
    const width = look.width(text, "label") * stretch;
    const start = 2 * scene.pointStart[e]!;
    const [x, y] = [scene.points[start]!, scene.points[start + 1]! + 4];
    const label = [x + GAP, x - GAP - width]
      .map((left) => ({ x: left, y, width, height: HEIGHT * stretch, text, edge: e, within }))
      .find((each) => taken.isFree(each) && isInside(each, within, scene) && !meetsLine(source, each));
    if (!label) continue;
    taken.add(label);
    labels.push(label);
  }
  return labels;
}

/** Whether an edge crosses a rectangle that is near the edge's beginning. */
function isOnLine({ points, pointStart }: Scene, edge: number, rect: Rect): boolean {
  const [from, to] = [pointStart[edge]!, pointStart[edge + 1]!];
  return lineMeets(points, from, Math.min(to, from + FIRST), rect);
}

/** Whether a label does not touch the border of its module. */
function isInside(label: Rect, within: number, { rect }: Scene): boolean {
  if (within < 0) return true;
  const right = rect[4 * within]! + rect[4 * within + 2]!;
  const bottom = rect[4 * within + 1]! + rect[4 * within + 3]!;
  return (
    label.x > rect[4 * within]! + 4 &&
    label.x + label.width < right - 4 &&
    label.y + label.height < bottom - 2
  );
}

/** Boxes and labels by the grid squares that they touch. Open modules are background, not boxes. */
class Grid {
  private readonly cells = new Map<string, Rect[]>();

  constructor({ item, kind, rect }: Scene) {
    for (let slot = 0; slot < item.length; slot++) {
      const [x, y, width, height] = [
        rect[4 * slot]!,
        rect[4 * slot + 1]!,
        rect[4 * slot + 2]!,
        rect[4 * slot + 3]!,
      ];
      // Chips stick out above a box's top edge; an open module has a header.
      if (kind[slot] === Kind.Open) this.add({ x, y, width, height: 30 });
      else this.add({ x, y: y - 8, width, height: height + 8 });
    }
  }

  add(rect: Rect): void {
    for (const key of this.keys(rect)) {
      const cell = this.cells.get(key);
      if (cell) cell.push(rect);
      else this.cells.set(key, [rect]);
    }
  }

  isFree(rect: Rect): boolean {
    return this.keys(rect).every((key) => !this.cells.get(key)?.some((other) => touches(rect, other)));
  }

  private keys({ x, y, width, height }: Rect): string[] {
    const keys: string[] = [];
    for (let i = Math.floor(x / CELL); i <= Math.floor((x + width) / CELL); i++) {
      for (let j = Math.floor(y / CELL); j <= Math.floor((y + height) / CELL); j++) keys.push(`${i} ${j}`);
    }
    return keys;
  }
}

export const touches = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
