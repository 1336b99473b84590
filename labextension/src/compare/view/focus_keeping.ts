/**
 * Keys stay with a comparison when the picture that has the focus goes out of viewMode: the room of the pictures takes the
 * focus, and hands it to the picture that comes.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ViewMode } from "../model/state";

const ROOM = ".exirviz-pair";

/** Of the room; `canvas`: the one to have the focus, where it is there already. */
export function useFocusKept(
  viewMode: ViewMode,
  canvas: () => HTMLCanvasElement | undefined,
): RefObject<HTMLDivElement | null> {
  const room = useRef<HTMLDivElement>(null);
  // Before the browser takes the focus from what is hidden.
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

/** A canvas that comes into viewMode has the focus if its room has it. */
export function takeFocus(canvas: HTMLCanvasElement): void {
  const room = canvas.closest(ROOM);
  if (room && canvas.ownerDocument.activeElement === room) canvas.focus({ preventScroll: true });
}
