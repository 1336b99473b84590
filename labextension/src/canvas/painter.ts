/** Paints a draw list on a 2D canvas. It does not import the IR. Text is only passed to `fillText`. */

import type { Camera } from "../geometry/camera";
import { type Scene, trace } from "../layout";
import { headAt, headSize } from "./arrow";
import {
  type BoxPrimitive,
  DASHES,
  type LinesPrimitive,
  type Primitive,
  type TextPrimitive,
} from "./primitives";

export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Where on the canvas to paint. */
export interface Target {
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** Device pixels from the left of the canvas to the left of the screen. */
  readonly left: number;
  readonly top: number;
}

/** Paints without clearing the canvas. */
export function paint(
  context: Context,
  list: readonly Primitive[],
  scene: Scene,
  camera: Camera,
  target: Target,
): void {
  const { ratio, left, top } = target;
  context.setTransform(ratio, 0, 0, ratio, left, top);
  context.textBaseline = "alphabetic";
  context.lineJoin = "round";
  for (const primitive of list) {
    context.globalAlpha = primitive.alpha ?? 1;
    if (primitive.type === "box") box(context, primitive, ratio);
    else if (primitive.type === "text") text(context, primitive);
    else lines(context, primitive, scene, camera, target);
  }
  context.globalAlpha = 1;
}

function box(context: Context, p: BoxPrimitive, ratio: number): void {
  if (p.isLeft) {
    leftBar(context, p, ratio);
    return;
  }
  if (p.radius < 1 && !p.line) {
    context.fillStyle = p.fill ?? "transparent";
    context.fillRect(p.x, p.y, Math.max(0.7, p.width), Math.max(0.7, p.height));
    return;
  }
  const snap = (x: number): number => Math.round(x * ratio) / ratio + 0.5 / ratio;
  const isThin = (p.lineWidth ?? 1) <= 1;
  const [x, y] = isThin ? [snap(p.x), snap(p.y)] : [p.x, p.y];
  context.beginPath();
  context.roundRect(x, y, p.width, p.height, Math.max(0, p.radius));
  if (p.fill) {
    context.fillStyle = p.fill;
    context.fill();
  }
  if (!p.line) return;
  context.strokeStyle = p.line;
  context.lineWidth = p.lineWidth ?? 1;
  if (p.dashed) context.setLineDash([...DASHES]);
  context.stroke();
  if (p.dashed) context.setLineDash([]);
}

/** The bar of a box's kind: inside its outline, with the same round corners. */
function leftBar(context: Context, p: BoxPrimitive, ratio: number): void {
  const left = Math.round(p.x * ratio) / ratio;
  const top = Math.round(p.y * ratio) / ratio;
  context.fillStyle = p.fill ?? "transparent";
  context.beginPath();
  context.roundRect(left, top, p.width, p.height + 1 / ratio, [p.radius, 0, 0, p.radius]);
  context.fill();
}

function text(context: Context, p: TextPrimitive): void {
  context.font = p.font;
  context.textAlign = p.align ?? "left";
  if (p.halo) {
    context.strokeStyle = p.halo;
    context.lineWidth = 3;
    context.strokeText(p.text, p.x, p.y);
  }
  context.fillStyle = p.color;
  context.fillText(p.text, p.x, p.y);
}

function lines(context: Context, p: LinesPrimitive, scene: Scene, camera: Camera, target: Target): void {
  const { points, pointStart } = p.of === "strokes" ? scene.strokes : scene;
  const { zoom } = camera;
  const { ratio, left, top } = target;
  const scale = ratio * zoom;
  context.setTransform(scale, 0, 0, scale, left - camera.x * scale, top - camera.y * scale);
  context.strokeStyle = p.color;
  context.lineWidth = p.width / zoom;
  context.beginPath();
  for (const id of p.ids) trace(points, pointStart[id]!, pointStart[id + 1]!, context);
  if (p.dashed) context.setLineDash(DASHES.map((each) => each / zoom));
  context.stroke();
  if (p.dashed) context.setLineDash([]);
  if (p.heads) {
    context.fillStyle = p.color;
    context.beginPath();
    const size = headSize(p.width, zoom) / zoom;
    for (const id of p.ids) {
      if (p.of === "strokes" && !scene.strokes.arrives[id]) continue;
      const [x, y, ax, ay, bx, by] = headAt(points, pointStart[id + 1]! - 1, size);
      context.moveTo(x, y);
      context.lineTo(ax, ay);
      context.lineTo(bx, by);
      context.closePath();
    }
    context.fill();
  }
  context.setTransform(ratio, 0, 0, ratio, left, top);
}
