/**
 * The host of standalone pages: one file, no server, no network. The page contains its parts as base64 text
 * in `<script type="application/octet-stream">`, which browsers do not run, and an empty `<main
 * id="exirviz">` to mount into. `#view=…` in the address is the initial view. A page with scenes plays them.
 */

import { viewOfLink } from "../store";
import { bytesOf, mountSavedComparison, mountSavedExplorer } from "./saved_page";
import { mountStory, scenesOf } from "./story";

/** The bytes of an element, which is removed: its megabytes of text are not needed again. */
function take(id: string): Uint8Array | undefined {
  const element = document.getElementById(id);
  const bytes = element ? bytesOf(element.textContent ?? "") : undefined;
  element?.remove();
  return bytes;
}

function start(): void {
  const place = document.getElementById("exirviz") ?? document.body;
  const comparison = mountSavedComparison(place, take);
  if (comparison) {
    comparison.ready.then(
      (shown) => Object.assign(globalThis, { exirvizColumns: shown }),
      () => undefined, // the page shows it already
    );
    return;
  }
  const view = viewOfLink(location.hash);
  const { title } = document;
  const story = take("exirviz-story");
  const mounted = mountSavedExplorer(place, take, { title, takesWheel: true, ...(view && { view }) });
  mounted.begun.then(
    (explorer) => {
      Object.assign(globalThis, { exirviz: explorer });
      const { stages } = explorer.stepping ?? {};
      if (!view && stages?.source.compare?.length) explorer.stepping?.onCompare?.(stages.source.compare);
      if (story) void scenesOf(story).then((scenes) => mountStory(place, explorer, scenes));
    },
    () => undefined, // the page shows it already
  );
  addEventListener("hashchange", () => {
    const wanted = viewOfLink(location.hash);
    if (wanted) void mounted.ready.then((explorer) => explorer.show(wanted));
  });
}

start();
