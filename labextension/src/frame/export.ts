/** What leaves the page: the picture as a file, a link to the view, the whole screen. */
import type { CanvasView } from "../canvas/view";
import type { Explorer } from "../explorer";
import { linkOf } from "../store";

/** Device pixels: larger canvases are refused by some browsers. */
const MOST = 16_000;

/** Everything that is open, at reading size, as SVG or PNG. */
export async function saveImage(
  explorer: Explorer,
  view: CanvasView,
  type: "svg" | "png",
  document: Document,
): Promise<void> {
  const name = (explorer.snapshot.skeleton.origin.name || explorer.picture.graph.path).replace(
    /[^\w.-]+/g,
    "_",
  );
  const blob =
    type === "svg" ? new Blob([view.asSvg()], { type: "image/svg+xml" }) : await view.asPng(2, MOST);
  if (!blob) {
    explorer.store.set({
      problem: "The picture is too large for an image of pixels. Close some modules, or export SVG.",
    });
    return;
  }
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.${type}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A link where the page has an address of its own; else the view as text that `explorer.view` takes. */
export async function copyLink(explorer: Explorer, document: Document): Promise<void> {
  const view = explorer.view();
  const { location } = document;
  const text = document.getElementById("exirviz")
    ? `${location.href.replace(/#.*$/, "")}${linkOf(view)}`
    : JSON.stringify(view);
  await navigator.clipboard.writeText(text);
}

export async function fullScreen(root: Element | null): Promise<void> {
  if (root?.ownerDocument.fullscreenElement) await root.ownerDocument.exitFullscreen();
  else await root?.requestFullscreen();
}
