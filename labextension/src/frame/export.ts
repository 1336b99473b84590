/** What leaves the page: the picture as a file, a link to the view, the whole screen. */
import type { CanvasView } from "../canvas/view";
import type { Explorer } from "../explorer";
import { linkOf } from "../store";

/** Device pixels: larger canvases are refused by some browsers. */
const MOST = 16_000;

/** What is saved: in which form, of what, and how many pixels of it per pixel at reading size. */
export interface Image {
  readonly type: "svg" | "png";
  readonly of: "all" | "view";
  readonly scale: number;
}

/** Hands the image over as a file; says it where that cannot be, or not at the scale that was asked for. */
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
    const shown = `×${pixels.scale.toFixed(2)}`;
    say(`PNG saved at ${shown} instead of ×${scale}: browsers limit images to ${MOST} pixels per side.`);
  }
  return pixels?.blob;
}

const nameOf = ({ snapshot, picture }: Explorer): string =>
  (snapshot.skeleton.origin.name || picture.graph.path).replace(/[^\w.-]+/g, "_");

/** Hands a file to the browser, which saves it. */
export function save(blob: Blob, name: string, document: Document): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A link where the page has an address of its own; else the view as text that `explorer.view` takes. */
export async function copyLink(explorer: Explorer, document: Document): Promise<void> {
  const view = explorer.view();
  const hasAddress = document.getElementById("exirviz") !== null;
  const link = linkOf(view);
  const text = hasAddress ? `${document.location.href.replace(/#.*$/, "")}${link}` : JSON.stringify(view);
  try {
    await navigator.clipboard.writeText(text);
    explorer.store.set({ notice: hasAddress ? "Link copied" : "View copied" });
  } catch {
    // No clipboard without https, or without leave of the user: the address takes the link.
    if (hasAddress) document.defaultView?.history.replaceState(null, "", link);
    const problem = "Couldn't copy. Use explorer.view in a cell.";
    explorer.store.set(hasAddress ? { notice: "Link added to the address bar" } : { problem });
  }
}

export async function fullScreen(root: Element | null): Promise<void> {
  if (root?.ownerDocument.fullscreenElement) await root.ownerDocument.exitFullscreen();
  else await root?.requestFullscreen();
}
