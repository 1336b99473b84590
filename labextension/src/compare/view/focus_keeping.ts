/**
 * Keeps keys working when the graph with the focus is hidden: the container of the graphs takes the focus and
 * gives it to the next graph.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ViewMode } from "../model/state";

const ROOM = ".exirviz-pair";

/** For the container. `canvas`: the one to get the focus if the container has it. */
export function useFocusKept(
  viewMode: ViewMode,
  canvas: () => HTMLCanvasElement | undefined,
): RefObject<HTMLDivElement | null> {
  const room = useRef<HTMLDivElement>(null);
  // Before the browser takes the focus from a hidden element.
  useLayoutEffect(() => {
    const active = room.current?.ownerDocument.activeElement;
    if (active?.classList.contains("exirviz-canvas") && room.current?.contains(active))
      room.current.focus({ preventScroll: true });
  }, [viewMode]);
  useEffect(() => {
    const found = canvas();
    if (found) takeFocus(found);
  }, [viewMode]);
  return room;
}

/** Focuses a canvas that is shown if its container has the focus. */
export function takeFocus(canvas: HTMLCanvasElement): void {
  const room = canvas.closest(ROOM);
  if (room && canvas.ownerDocument.activeElement === room) canvas.focus({ preventScroll: true });
}
