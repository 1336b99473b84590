/** Dragging along the pills: which line of stages, and the position of the pointer on it. */
import type { RefObject, TargetedMouseEvent, TargetedPointerEvent } from "preact";
import { useRef } from "preact/hooks";
import type { StageTree } from "../schema";
import { lineThrough } from "../shape";

/** Follows the pointer: 1.5 is halfway from the second stage of the line to the third. */
export interface StageDrag {
  drag(at: number): unknown;
  end(): unknown;
}

/** CSS pixels that a press may move and still be a click. */
const CLICK = 6;

interface Press {
  readonly x: number;
  readonly stage: string;
  readonly line: readonly string[];
  drag?: StageDrag;
}

type StripElement = HTMLDivElement;

interface Dragged {
  readonly tree: StageTree;
  readonly at: string;
  readonly onDrag?: ((line: readonly string[]) => StageDrag) | undefined;
}

/** Touch scrolls the strip; a mouse or a pen drags. */
export function useStageDrag(strip: RefObject<StripElement | null>, { tree, at, onDrag }: Dragged) {
  const press = useRef<Press | undefined>(undefined);
  const isOver = useRef(false);
  const onPointerDown = (event: TargetedPointerEvent<StripElement>): void => {
    isOver.current = false;
    const stage = event.target instanceof Element && event.target.closest<HTMLElement>("[data-stage]");
    if (event.button !== 0 || event.pointerType === "touch" || !stage) return;
    // Along the line of the stage that is shown, if the pressed one is on it.
    const pressed = stage.dataset["stage"] ?? "";
    const through = lineThrough(tree, at);
    const line = through.includes(pressed) ? through : lineThrough(tree, pressed);
    if (line.length > 1 && line.includes(at)) press.current = { x: event.clientX, stage: pressed, line };
  };
  const onPointerMove = (event: TargetedPointerEvent<StripElement>): void => {
    const { current } = press;
    if (!current || !onDrag) return;
    if (!current.drag && Math.abs(event.clientX - current.x) < CLICK) return;
    const element = event.currentTarget;
    if (!current.drag) {
      element.setPointerCapture(event.pointerId);
      current.drag = onDrag(current.line);
      element.classList.add("is-dragging");
    }
    const left = element.getBoundingClientRect().left - element.scrollLeft;
    element.style.setProperty("--exirviz-stage-at", `${event.clientX - left}px`);
    current.drag.drag(placeOf(middles(element, current.line), event.clientX));
  };
  const end = (event: TargetedPointerEvent<StripElement>): void => {
    const { current } = press;
    press.current = undefined;
    if (!current?.drag) return;
    isOver.current = true;
    event.currentTarget.classList.remove("is-dragging");
    current.drag.end();
  };
  /** The click at the end of a drag selects no stage. */
  const onClickCapture = (event: TargetedMouseEvent<StripElement>): void => {
    if (!isOver.current) return;
    isOver.current = false;
    event.stopPropagation();
    event.preventDefault();
  };
  return {
    isDragging: (): boolean => strip.current !== null && press.current?.drag !== undefined,
    handlers: { onPointerDown, onPointerMove, onPointerUp: end, onPointerCancel: end, onClickCapture },
  };
}

/** The x of the middles of the pills of a line. */
function middles(strip: Element, line: readonly string[]): number[] {
  return line.map((stage) => {
    const pill = strip.querySelector(`[data-stage="${CSS.escape(stage)}"]`)?.getBoundingClientRect();
    return pill ? pill.left + pill.width / 2 : 0;
  });
}

/** The position of x among some places, the first being 0. */
function placeOf(places: readonly number[], x: number): number {
  const next = places.findIndex((place) => place > x);
  if (next === 0) return 0;
  if (next === -1) return places.length - 1;
  const [from = 0, to = 0] = places.slice(next - 1);
  return next - 1 + (x - from) / (to - from);
}
