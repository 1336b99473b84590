/** The first stop of the Tab key: skips the bars to the graph. Visible while it has the focus. */
import type { JSX } from "preact";

export const SkipToGraph = (): JSX.Element => (
  <button
    type="button"
    class="exirviz-button exirviz-skip"
    onClick={({ currentTarget }) => graphAfter(currentTarget)?.focus({ preventScroll: true })}
  >
    Skip to the graph
  </button>
);

/** The first visible picture. */
function graphAfter(link: Element): HTMLElement | undefined {
  const pictures = link.closest(".exirviz-frame")?.querySelectorAll<HTMLElement>(".exirviz-canvas");
  return [...(pictures ?? [])].find((picture) => picture.clientWidth > 0);
}
