/** Exports: the picture as a file, a link to the view, full screen. */
import type { CanvasView } from "../canvas/view";
import type { Explorer } from "../explorer";
import { ratioText } from "../snapshot";
import { linkOf } from "../store";

/** Device pixels: some browsers refuse larger canvases. */
const MOST = 16_000;

/** The export: format, area, and pixels per pixel at zoom 1. */
export interface Image {
  readonly type: "svg" | "png";
  readonly of: "all" | "view";
  readonly scale: number;
}

/** Saves the image as a file; reports if that is impossible, or only at a smaller scale. */
export async function saveImage(explorer: Explorer, view: CanvasView, image: Image): Promise<void> {
  explorer.store.set({ problem: undefined });
  const blob = image.type === "svg" ? svgOf(view, image) : await pngOf(explorer, view, image);
  if (blob) save(blob, `${nameOf(explorer)}.${image.type}`, view.canvas.ownerDocument);
}

const svgOf = (view: CanvasView, { of }: Image): Blob =>
  new Blob([view.asSvg(of)], { type: "image/svg+xml" });

async function pngOf(explorer: Explorer, view: CanvasView, { of, scale }: Image): Promise<Blob | undefined> {
  const pixels = await view.asPng(of, scale, MOST);
  const say = (problem: string): void => explorer.store.set({ problem });
  if (!pixels) say("Too large for PNG. Close modules or export SVG.");
  else if (pixels.scale < scale) {
    const shown = ratioText(pixels.scale);
    say(`PNG saved at ${shown} instead of ×${scale}: browsers limit images to ${MOST} pixels per side.`);
  }
  return pixels?.blob;
}

const nameOf = ({ snapshot, picture }: Explorer): string =>
  (snapshot.skeleton.origin.name || picture.graph.path).replace(/[^\w.-]+/g, "_");

/** Downloads a file in the browser. */
export function save(blob: Blob, name: string, document: Document): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A link if the page has an address of its own; else the view as text for `explorer.view`. */
export async function copyLink(explorer: Explorer, document: Document): Promise<void> {
  const view = explorer.view();
  const hasAddress = document.getElementById("exirviz") !== null;
  const link = linkOf(view);
  const text = hasAddress ? `${document.location.href.replace(/#.*$/, "")}${link}` : JSON.stringify(view);
  try {
    await navigator.clipboard.writeText(text);
    explorer.store.set({ notice: hasAddress ? "Link copied" : "View copied" });
  } catch {
    // No clipboard without https or permission: put the link into the address bar.
    if (hasAddress) document.defaultView?.history.replaceState(null, "", link);
    const problem = "Couldn't copy. Use explorer.view in a cell.";
    explorer.store.set(hasAddress ? { notice: "Link added to the address bar" } : { problem });
  }
}

export async function fullScreen(root: Element | null): Promise<void> {
  if (root?.ownerDocument.fullscreenElement) await root.ownerDocument.exitFullscreen();
  else await root?.requestFullscreen();
}
