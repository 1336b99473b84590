/**
 * A draw list as SVG. Text stays text that can be searched and edited. Text from a program is escaped, and
 * control characters, which XML forbids, are removed.
 */

import type { Camera, Size } from "../geometry/camera";
import { type PathSink, type Scene, trace } from "../layout";
import { headAt, headSize } from "./arrow";
import {
  type BoxPrimitive,
  DASHES,
  type LinesPrimitive,
  type Primitive,
  type TextPrimitive,
} from "./primitives";

export function svg(
  list: readonly Primitive[],
  scene: Scene,
  camera: Camera,
  size: Size,
  ground: string,
): string {
  const width = Math.ceil(size.width);
  const height = Math.ceil(size.height);
  const parts = list.map((primitive) => {
    if (primitive.type === "box") return box(primitive);
    return primitive.type === "text" ? text(primitive) : lines(primitive, scene, camera);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    ...parts,
    "</svg>",
  ].join("\n");
}

function box(p: BoxPrimitive): string {
  const shape = `x="${n(p.x)}" y="${n(p.y)}" width="${n(p.width)}" height="${n(p.height)}" rx="${n(p.isLeft ? p.radius / 3 : p.radius)}"`;
  const line = p.line ? ` stroke="${escaped(p.line)}" stroke-width="${p.lineWidth ?? 1}"${dashes(p)}` : "";
  return `<rect ${shape} fill="${escaped(p.fill ?? "none")}"${line}${alpha(p.alpha)}/>`;
}

const ANCHORS = { left: "start", center: "middle", right: "end" } as const;

function text(p: TextPrimitive): string {
  const halo = p.halo
    ? ` stroke="${escaped(p.halo)}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`
    : "";
  const anchor = p.align ? ` text-anchor="${ANCHORS[p.align]}"` : "";
  return `<text x="${n(p.x)}" y="${n(p.y)}"${anchor} fill="${escaped(p.color)}" style="font:${escaped(p.font)};white-space:pre"${halo}${alpha(p.alpha)}>${escaped(p.text)}</text>`;
}

function lines(p: LinesPrimitive, scene: Scene, camera: Camera): string {
  const { points, pointStart } = p.of === "strokes" ? scene.strokes : scene;
  const { zoom } = camera;
  const x = (at: number): string => n((at - camera.x) * zoom);
  const y = (at: number): string => n((at - camera.y) * zoom);
  const size = headSize(p.width, zoom) / zoom;
  const path: string[] = [];
  const heads: string[] = [];
  const sink: PathSink = {
    moveTo: (px, py) => path.push(`M${x(px)} ${y(py)}`),
    lineTo: (px, py) => path.push(`L${x(px)} ${y(py)}`),
    bezierCurveTo: (ax, ay, bx, by, px, py) =>
      path.push(`C${x(ax)} ${y(ay)} ${x(bx)} ${y(by)} ${x(px)} ${y(py)}`),
  };
  for (const id of p.ids) {
    trace(points, pointStart[id]!, pointStart[id + 1]!, sink);
    const tip = pointStart[id + 1]! - 1;
    if (p.heads && (p.of === "edges" || scene.strokes.arrives[id])) {
      const [hx, hy, ax, ay, bx, by] = headAt(points, tip, size);
      heads.push(`M${x(hx)} ${y(hy)}L${x(ax)} ${y(ay)}L${x(bx)} ${y(by)}z`);
    }
  }
  const color = escaped(p.color);
  return [
    `<path d="${path.join("")}" fill="none" stroke="${color}" stroke-width="${n(p.width)}"${dashes(p)}${alpha(p.alpha)}/>`,
    heads.length ? `<path d="${heads.join("")}" fill="${color}"${alpha(p.alpha)}/>` : "",
  ].join("");
}

const n = (x: number): string => String(Math.round(x * 10) / 10);

const dashes = ({ dashed }: { readonly dashed?: boolean }): string =>
  dashed ? ` stroke-dasharray="${DASHES.join(" ")}"` : "";

const alpha = (value: number | undefined): string =>
  value === undefined || value === 1 ? "" : ` opacity="${n(value)}"`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that XML 1.0 cannot contain in any form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escaped = (raw: string): string =>
  raw.replace(FORBIDDEN, "").replace(/[&<>"']/g, (each) => ENTITIES[each] ?? each);
