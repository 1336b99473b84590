/** What the timeline's drawings share: a tooltip, the width, and when a canvas is drawn. */
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

interface Place {
  readonly current: HTMLElement | null;
}

/** The width in CSS pixels, updated. */
export const useWidth = (place: Place): number => useMeasured(place, ({ clientWidth }) => clientWidth);

/** The height in CSS pixels with its border, updated. */
export const useHeight = (place: Place): number => useMeasured(place, ({ offsetHeight }) => offsetHeight);

function useMeasured(place: Place, measure: (element: HTMLElement) => number): number {
  const [size, setSize] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const fill = (): void => setSize(measure(element));
    const resize = new ResizeObserver(fill);
    resize.observe(element);
    fill();
    return () => resize.disconnect();
  }, []);
  return size;
}

/**
 * Draws after each render, once per frame; `draw` sets its own scale. `count` is the number of drawn ops, for
 * tests.
 */
export function useDrawing(
  canvas: { readonly current: HTMLCanvasElement | null },
  size: { readonly width: number; readonly height: number; readonly count: number },
  draw: (context: CanvasRenderingContext2D, ratio: number) => void,
): void {
  const { width, height, count } = size;
  useEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const frame = requestAnimationFrame(() => {
      const ratio = element.ownerDocument.defaultView?.devicePixelRatio || 1;
      element.width = width * ratio;
      element.height = height * ratio;
      const context = element.getContext("2d");
      if (!context) return;
      draw(context, ratio);
      element.dataset["drawn"] = String(count);
    });
    return () => cancelAnimationFrame(frame);
  });
}

/** Pixels that a pointer moves before a click becomes a drag. */
export const DRAG = 4;

/** Key combinations belong to the browser and Jupyter: page zoom, back, running a cell. */
export const isOfHost = (event: KeyboardEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && event.key === "Enter");
