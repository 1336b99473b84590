/**
 * The standalone page's host: one file, no server, no network. The page carries a `.exirviz` file as base64 text in
 * `<script type="application/octet-stream" id="exirviz-program">`, which no browser runs, and an empty
 * `<main id="exirviz">` to mount into. The address's `#view=…` is the view to begin with.
 */
import { viewOfLink } from "../store";
import { mountExplorer } from "./explorer";

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64.replace(/\s+/g, ""));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function start(): void {
  const place = document.getElementById("exirviz") ?? document.body;
  const carrier = document.getElementById("exirviz-program");
  const view = viewOfLink(location.hash);
  const { title } = document;
  const mounted = mountExplorer(
    place,
    { file: bytesOf(carrier?.textContent ?? "") },
    {
      title,
      takesWheel: true,
      ...(view && { view }),
    },
  );
  carrier?.remove(); // its text is some megabytes that nobody reads again
  mounted.ready.then(
    (explorer) => Object.assign(globalThis, { exirviz: explorer }),
    () => undefined, // the page says it already
  );
  addEventListener("hashchange", () => {
    const wanted = viewOfLink(location.hash);
    if (wanted) void mounted.ready.then((explorer) => explorer.show(wanted));
  });
}

start();
