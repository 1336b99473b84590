/** Everything that is open as an image of its own, at zoom 1: SVG whose text is text, or pixels. */
import type { Camera, Size } from "./camera";
import { drawList } from "./drawlist";
import type { Look } from "./look";
import { paint } from "./painter";
import { svg } from "./svg";

/** World pixels around the scene. */
const MARGIN = 20;
/** An image of pixels is no smaller than this part of zoom 1: less could not be read. */
const LEAST = 0.25;

export function svgImage(look: Look): string {
  const { still, camera, size } = whole(look);
  return svg(drawList(still, camera, size), look.scene, camera, size, look.theme.ground);
}

/** Undefined where a side would be longer than `most` pixels at the least scale. */
export async function pngImage(
  look: Look,
  document: Document,
  scale: number,
  most: number,
): Promise<Blob | undefined> {
  const { still, camera, size } = whole(look);
  const ratio = Math.min(scale, most / size.width, most / size.height);
  if (ratio < LEAST) return undefined;
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(size.width * ratio);
  canvas.height = Math.ceil(size.height * ratio);
  const context = canvas.getContext("2d", { alpha: false });
  if (!context) return undefined;
  context.fillStyle = look.theme.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  paint(context, drawList(still, camera, size), look.scene, camera, { ratio, left: 0, top: 0 });
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined)));
}

function whole(look: Look): { still: Look; camera: Camera; size: Size } {
  const size = { width: look.scene.width + 2 * MARGIN, height: look.scene.height + 2 * MARGIN };
  const still = { ...look, rect: look.scene.rect, lines: 1 };
  return { still, camera: { x: -MARGIN, y: -MARGIN, zoom: 1 }, size };
}
