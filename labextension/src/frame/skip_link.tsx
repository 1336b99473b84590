/** The first stop of the Tab key: past the bars, to the graph. Seen while it has the focus. */
import type { JSX } from "preact";

export const SkipToGraph = (): JSX.Element => (
  <button
    type="button"
    class="exirviz-button exirviz-skip"
    onClick={({ currentTarget }) => graphBeside(currentTarget)?.focus({ preventScroll: true })}
  >
    Skip to the graph
  </button>
);

/** The first picture that is in sight. */
function graphBeside(link: Element): HTMLElement | undefined {
  const pictures = link.closest(".exirviz-frame")?.querySelectorAll<HTMLElement>(".exirviz-canvas");
  return [...(pictures ?? [])].find((picture) => picture.clientWidth > 0);
}
