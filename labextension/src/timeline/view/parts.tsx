/** What the drawings of the timeline share: a tooltip, and the width that there is. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export function Tip(props: {
  x: number;
  y: number;
  width: number;
  height: number;
  lines: readonly string[];
}): JSX.Element {
  const { x, y, width, height, lines } = props;
  const style = {
    ...(x < width / 2 ? { left: `${x + 14}px` } : { right: `${width - x + 10}px` }),
    ...(y < height / 2 ? { top: `${y + 14}px` } : { bottom: `${height - y + 8}px` }),
  };
  return (
    <div class="exirviz-tooltip" role="tooltip" style={style}>
      {lines.map((line, i) => (
        <div key={i} class={i ? "exirviz-dim" : ""}>
          {line}
        </div>
      ))}
    </div>
  );
}

/** CSS pixels, followed. */
export function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const fill = (): void => setWidth(element.clientWidth);
    const resize = new ResizeObserver(fill);
    resize.observe(element);
    fill();
    return () => resize.disconnect();
  }, []);
  return width;
}

/** Chords are the browser's and Jupyter's: page zoom, back, running a cell. */
export const isOfHost = (event: KeyboardEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && event.key === "Enter");
