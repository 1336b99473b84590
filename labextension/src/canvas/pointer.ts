/**
 * Pointer, wheel and touch on the canvas. Drag and wheel pan; Ctrl + wheel and pinch zoom around the pointer.
 * In a notebook the wheel scrolls the page until the canvas has the focus.
 */
import type { Explorer } from "../explorer";
import { type Point, panned, pinched, toWorld, zoomedAt } from "../geometry/camera";
import { HEAD, titleLeft } from "./module_headers";
import type { CanvasView } from "./view";

/** Screen pixels that a press may move and still be a click. */
const STILL = 4;
/** Screen pixels that the pointer must move after a press before the tooltip is shown again. */
const MOVED = 12;
/** Milliseconds after the picture moved under a resting pointer. */
const RESTED = 150;
const MODIFIERS: ReadonlySet<string> = new Set(["Alt", "Control", "Meta", "Shift"]);
const NOWHERE: Point = { x: -1, y: -1 };

interface PointerOptions {
  /** Whether the canvas takes the wheel without having the focus. */
  readonly takesWheel: boolean;
  /** What the pointer is on, and whether the tooltip should be hidden. */
  readonly onHover: (at: Point, isHidden: boolean) => void;
  /** The menu of the selection is wanted, at a point of the window. */
  readonly onMenu?: (at: Point) => void;
}

export function listen(explorer: Explorer, view: CanvasView, options: PointerOptions): () => void {
  const { canvas } = view;
  const controller = new AbortController();
  const { signal } = controller;
  const pressed = new Map<number, Point>();
  let start: Point | undefined;
  let isDrag = false;
  const here = (event: MouseEvent): Point => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  /** The last position of the pointer over the canvas. */
  let last: Point | undefined;
  let resting = 0;
  /** Where it was last pressed. The tooltip stays hidden until the pointer has moved away. */
  let pressedAt: Point | undefined;
  const hover = (at: Point): void => {
    last = at;
    if (pressedAt && Math.hypot(at.x - pressedAt.x, at.y - pressedAt.y) > MOVED) pressedAt = undefined;
    const world = toWorld(explorer.viewportStore.state.camera, at);
    view.hovered = view.at(world.x, world.y);
    canvas.style.cursor = isDrag ? "grabbing" : cursorOf(explorer, view, at);
    // Wait until the picture has stopped before describing what is under the pointer.
    options.onHover(at, pressedAt !== undefined || explorer.viewportStore.state.target !== undefined);
  };
  const leave = (): void => {
    view.hovered = { slot: -1, edge: -1 };
    options.onHover(NOWHERE, true);
  };
  // The box under the pointer has moved away; look up the new one when the picture has stopped.
  const off = explorer.viewportStore.subscribe(({ camera }, before) => {
    if (camera === before.camera || !last) return;
    if (view.hovered.slot >= 0 || view.hovered.edge >= 0) leave();
    clearTimeout(resting);
    resting = Number(setTimeout(() => last && pressed.size === 0 && hover(last), RESTED));
  });

  // After a key, what is under a resting pointer is not what the user means.
  const mount = canvas.closest<HTMLElement>(".exirviz-frame") ?? canvas;
  mount.addEventListener(
    "keydown",
    ({ key }) => {
      if (MODIFIERS.has(key)) return;
      last = undefined;
      leave();
    },
    { signal, capture: true },
  );
  canvas.addEventListener(
    "wheel",
    (event) => {
      const isZoom = event.ctrlKey || event.metaKey;
      const hasFocus = canvas.ownerDocument.activeElement === canvas;
      if (!isZoom && !options.takesWheel && !hasFocus) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const { camera } = explorer.viewportStore.state;
      if (isZoom) {
        const step = Math.max(-60, Math.min(60, event.deltaY * lines));
        view.moved(zoomedAt(camera, here(event), Math.exp(-step * 0.006)));
      } else {
        const [dx, dy] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
        view.moved(panned(camera, -dx * lines, -dy * lines));
      }
    },
    { passive: false, signal },
  );

  canvas.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0 && event.button !== 1) return;
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({ preventScroll: true });
      pressed.set(event.pointerId, here(event));
      pressedAt = here(event);
      options.onHover(pressedAt, true);
      start = pressed.size === 1 ? here(event) : undefined;
      isDrag = false;
    },
    { signal },
  );

  canvas.addEventListener(
    "pointermove",
    (event) => {
      const at = here(event);
      const before = pressed.get(event.pointerId);
      if (!before) return hover(at);
      const { camera } = explorer.viewportStore.state;
      const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        view.moved(pinched(camera, other, before, at));
        isDrag = true;
      } else if (isDrag || !start || Math.hypot(at.x - start.x, at.y - start.y) > STILL) {
        const from = isDrag ? before : (start ?? before);
        isDrag = true;
        canvas.style.cursor = "grabbing";
        view.moved(panned(camera, at.x - from.x, at.y - from.y));
      } else return;
      pressed.set(event.pointerId, at);
    },
    { signal },
  );

  const release = (event: PointerEvent): void => {
    const wasPressed = pressed.delete(event.pointerId);
    if (wasPressed && !isDrag && event.type === "pointerup") click(explorer, view, here(event), event);
    if (pressed.size === 0) isDrag = false;
    if (wasPressed) hover(here(event));
  };
  canvas.addEventListener("pointerup", release, { signal });
  canvas.addEventListener("pointercancel", release, { signal });
  canvas.addEventListener(
    "pointerleave",
    () => {
      last = undefined;
      leave();
    },
    { signal },
  );
  canvas.addEventListener(
    "dblclick",
    (event) => {
      const item = itemAt(explorer, view, here(event));
      const isStretch = explorer.state.stretches.has(item);
      if (
        item >= 0 &&
        explorer.picture.isGroup(item) &&
        !isStretch &&
        !isCaret(explorer, view, here(event))
      ) {
        void explorer.toggle(item);
      }
    },
    { signal },
  );
  canvas.addEventListener("contextmenu", (event) => openMenu(explorer, view, here(event), event, options), {
    signal,
  });
  return () => {
    off();
    clearTimeout(resting);
    controller.abort();
  };
}

/** Of the box under the pointer, which is selected, or, from the keyboard, of the selection. */
function openMenu(
  explorer: Explorer,
  view: CanvasView,
  at: Point,
  event: MouseEvent,
  { onMenu }: PointerOptions,
): void {
  const { selected } = explorer.state;
  const item = event.button === 2 ? itemAt(explorer, view, at) : (selected[0] ?? -1);
  if (!onMenu || item < 0) return;
  event.preventDefault();
  event.stopPropagation();
  if (!selected.includes(item)) explorer.select([item]);
  const open = (): void => onMenu({ x: event.clientX, y: event.clientY });
  // The release of a pressed button would close it.
  if (event.buttons) view.canvas.addEventListener("pointerup", () => setTimeout(open), { once: true });
  else open();
}

function itemAt(explorer: Explorer, view: CanvasView, at: Point): number {
  const world = toWorld(explorer.viewportStore.state.camera, at);
  const { slot } = view.at(world.x, world.y);
  return explorer.state.scene.item[slot] ?? -1;
}

function click(explorer: Explorer, view: CanvasView, at: Point, event: PointerEvent): void {
  const { scene } = explorer.state;
  const world = toWorld(explorer.viewportStore.state.camera, at);
  const { slot, edge } = view.at(world.x, world.y);
  const item = scene.item[slot] ?? -1;
  if (edge < 0 && explorer.state.stretches.has(item)) {
    void explorer.unstretch(item);
    return;
  }
  if (isCaret(explorer, view, at)) {
    if (event.altKey) void explorer.toggleSimilar(item);
    else void explorer.toggle(item);
    return;
  }
  if (edge >= 0) {
    const source = scene.item[scene.edgeSource[edge] ?? -1] ?? -1;
    const target = scene.item[scene.edgeTarget[edge] ?? -1] ?? -1;
    explorer.select([], { source, target, value: scene.edgeValue[edge] ?? -1 });
    return;
  }
  if (item < 0 || (scene.kind[slot] === 2 && !isHead(explorer, slot, world))) {
    explorer.select([]);
    return;
  }
  const isMore = event.shiftKey || event.ctrlKey || event.metaKey;
  const { selected } = explorer.state;
  if (!isMore) explorer.select([item]);
  else if (selected.includes(item)) explorer.select(selected.filter((each) => each !== item));
  else explorer.select([...selected, item]);
}

/** Whether a point of the world is on the header of an open module. */
function isHead(explorer: Explorer, slot: number, world: Point): boolean {
  const top = explorer.state.scene.rect[4 * slot + 1] ?? 0;
  return world.y - top <= HEAD;
}

function isCaret(explorer: Explorer, view: CanvasView, at: Point): boolean {
  const { scene } = explorer.state;
  const { camera } = explorer.viewportStore.state;
  const world = toWorld(camera, at);
  const { slot } = view.at(world.x, world.y);
  if (slot < 0 || scene.kind[slot] === 0 || camera.zoom < 0.34) return false;
  if (explorer.state.stretches.has(scene.item[slot] ?? -1)) return false;
  const left = scene.rect[4 * slot] ?? 0;
  const isLeft = (world.x - left) * camera.zoom <= titleLeft(camera.zoom);
  return isLeft && (scene.kind[slot] === 1 || isHead(explorer, slot, world));
}

function cursorOf(explorer: Explorer, view: CanvasView, at: Point): string {
  const { scene } = explorer.state;
  const { slot, edge } = view.hovered;
  if (edge >= 0 || isCaret(explorer, view, at)) return "pointer";
  if (slot < 0 || scene.kind[slot] === 2) return "grab";
  return "pointer";
}
