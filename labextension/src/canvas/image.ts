/** The graph as an image: SVG with real text, or PNG; of the whole graph or the visible area. */
import type { Camera, Size } from "../geometry/camera";
import { Picture } from "../picture";
import type { Snapshot } from "../snapshot";
import { drawList } from "./drawlist";
import { type Look, plainLook } from "./look";
import { paint } from "./painter";
import { svg } from "./svg";
import { canvasMeasure } from "./text";
import type { Theme } from "./theme";

/** World pixels around the scene. */
const MARGIN = 20;
/** A PNG has at least this share of the wanted scale: a smaller one would be unreadable. */
const LEAST = 0.25;

/** The part of the graph that an image shows: as much as a screen of this size. */
export interface Shot {
  readonly camera: Camera;
  readonly size: Size;
}

/** The whole graph at zoom 1. */
export const wholeShot = ({ scene }: Pick<Look, "scene">): Shot => ({
  camera: { x: -MARGIN, y: -MARGIN, zoom: 1 },
  size: { width: scene.width + 2 * MARGIN, height: scene.height + 2 * MARGIN },
});

export function svgImage(look: Look, { camera, size }: Shot): string {
  return svg(drawList(atRest(look), camera, size), look.scene, camera, size, look.theme.ground);
}

export interface Pixels {
  readonly blob: Blob;
  /** Device pixels per pixel of the shot. It is reduced if a side would be too long. */
  readonly scale: number;
}

/** Undefined if a side would be longer than `most` pixels at the smallest scale. */
export async function pngImage(
  look: Look,
  { camera, size }: Shot,
  document: Document,
  wanted: number,
  most: number,
): Promise<Pixels | undefined> {
  const scale = Math.min(wanted, most / size.width, most / size.height);
  if (scale < LEAST) return undefined;
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(size.width * scale);
  canvas.height = Math.ceil(size.height * scale);
  const context = canvas.getContext("2d", { alpha: false });
  if (!context) return undefined;
  context.fillStyle = look.theme.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const target = { ratio: scale, left: 0, top: 0 };
  paint(context, drawList(atRest(look), camera, size), look.scene, camera, target);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  return blob ? { blob, scale } : undefined;
}

const atRest = (look: Look): Look => ({ ...look, rect: look.scene.rect, lines: 1 });

/** The graph of the first method. */
export function still(snapshot: Snapshot, theme: Theme, document: Document): string {
  const measure = canvasMeasure(theme, document);
  const picture = new Picture(snapshot, snapshot.graph(snapshot.methods[0]?.graph ?? 0), false, measure);
  const groups = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  const scene = picture.layout.scene(picture.view(new Set(groups), new Set()));
  const look = plainLook(picture, scene, theme, measure);
  return svgImage(look, wholeShot(look));
}
