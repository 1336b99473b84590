/**
 * The tracks on one canvas: dragging brushes a range, a click selects, the wheel zooms, arrows step. For
 * screen readers it is a slider whose value is a sentence.
 */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { canvasMeasure } from "../../canvas/text";
import type { Theme } from "../../canvas/theme";
import { type Axis, moved, opAtX, wholeOf, xOfOp, zoomed } from "../axis";
import { type Hit, hitAt, linesOf } from "../hit";
import type { Timeline } from "../model";
import { type Ground, paintMarks, paintTracks } from "../paint";
import { opLines } from "../timeline_text";
import { gutterOf, heightOf, RIGHT, tracksOf } from "../tracks";
import { DRAG, isOfHost, Tip, useDrawing, useWidth } from "./parts";

export type Range = readonly [first: number, last: number];

interface ChartProps {
  readonly timeline: Timeline;
  readonly isByTime: boolean;
  readonly theme: Theme;
  /** The height for the tracks, in CSS pixels. */
  readonly height: number;
  readonly brush: readonly Range[];
  readonly selected: readonly Range[];
  /** The first position for keys. */
  readonly start: number;
  readonly takesWheel: boolean;
  readonly onBrush: (range: Range | undefined) => void;
  readonly onOpen: (hit: Hit) => void;
  readonly onPoint: (op: number | undefined) => void;
}

interface View {
  readonly edges: Float64Array;
  readonly from: number;
  readonly to: number;
}

export function Chart(props: ChartProps): JSX.Element {
  const { timeline, isByTime, theme, height, brush, selected } = props;
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const ground = useRef<{ readonly key: readonly unknown[]; readonly image: HTMLCanvasElement }>(undefined);
  const drag = useRef<{ readonly op: number; readonly x: number; isMoved: boolean }>(undefined);
  const width = useWidth(place);
  const [view, setView] = useState<View>();
  const [cursor, setCursor] = useState<number>();
  /** The same without delay: keys may come faster than renders. */
  const at = useRef<number>(undefined);
  const [tip, setTip] = useState<{ readonly x: number; readonly y: number; readonly hit: Hit }>();
  const edges = (isByTime && timeline.byTime) || timeline.even;
  const whole = wholeOf(edges);
  const left = gutterOf(width);
  const shown = view?.edges === edges ? view : { edges, from: 0, to: whole };
  const axis: Axis = { ...shown, left, width: Math.max(1, width - left - RIGHT) };
  const tracks = useMemo(() => tracksOf(timeline, height), [timeline, height]);
  const measure = useMemo(() => canvasMeasure(theme, document), [theme]);
  const full = Math.max(height, heightOf(tracks));
  const count = timeline.sequence.nodes.length;

  useDrawing(canvas, { width, height: full, count }, (context, ratio) => {
    const key = [timeline, tracks, theme, edges, axis.from, axis.to, width, full, ratio];
    if (!ground.current?.key.every((part, i) => part === key[i])) {
      const image = drawGround({ timeline, axis, tracks, theme, measure }, width, full, ratio);
      ground.current = { key, image };
    }
    context.drawImage(ground.current.image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintMarks(context, { timeline, axis, tracks, theme, measure }, full, { brush, selected, cursor });
  });

  // Show what was selected in the graph.
  useEffect(() => {
    const first = selected[0]?.[0];
    if (first === undefined || !view || view.edges !== edges) return;
    const at = edges[first] ?? 0;
    const span = view.to - view.from;
    if (at < view.from || at >= view.to) setView({ edges, ...moved(whole, at - span / 2, span) });
  }, [selected]);

  // The cursor belongs to one program.
  useEffect(() => {
    at.current = undefined;
    setCursor(undefined);
    setTip(undefined);
    return () => props.onPoint(undefined);
  }, [timeline.sequence]);

  const point = (op: number | undefined): void => {
    at.current = op;
    setCursor(op);
    props.onPoint(op);
  };
  const zoom = (x: number, factor: number): void => setView({ edges, ...zoomed(axis, x, factor) });
  const pan = (by: number): void => {
    const span = axis.to - axis.from;
    setView({ edges, ...moved(whole, axis.from + by * span, span) });
  };

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      const hasFocus = element.ownerDocument.activeElement === element;
      if (!(props.takesWheel || hasFocus || event.ctrlKey)) return;
      event.preventDefault();
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (isSideways) pan((event.deltaX || event.deltaY) / axis.width);
      else zoom(event.offsetX, Math.exp(event.deltaY * 0.002));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isOfHost(event)) return;
    const from = at.current ?? props.start;
    const to = target(event.key, from, count);
    const middle = xOfOp(axis, from);
    if (to !== undefined) {
      point(to);
      setTip(undefined);
      if (event.shiftKey) props.onBrush(extended(brush, from, to));
      const place = edges[to] ?? 0;
      const span = axis.to - axis.from;
      if (place < axis.from || place >= axis.to) setView({ edges, ...moved(whole, place - span / 2, span) });
    } else if (event.key === "Enter" || event.key === " ") props.onOpen({ type: "op", op: from });
    else if (event.key === "+" || event.key === "=") zoom(middle, 0.7);
    else if (event.key === "-") zoom(middle, 1 / 0.7);
    else if (event.key === "0") setView(undefined);
    else return;
    // the picture handles keys too
    event.preventDefault();
    event.stopPropagation();
  };

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0 || event.offsetX < left) return;
    canvas.current?.setPointerCapture(event.pointerId);
    drag.current = { op: opAtX(axis, event.offsetX), x: event.offsetX, isMoved: false };
  };
  const onPointerMove = (event: PointerEvent): void => {
    const { offsetX: x, offsetY: y } = event;
    const begun = drag.current;
    if (begun && (begun.isMoved || Math.abs(x - begun.x) >= DRAG)) {
      begun.isMoved = true;
      setTip(undefined);
      point(undefined);
      props.onBrush(ordered(begun.op, opAtX(axis, x)));
      return;
    }
    const hit = hitAt(timeline, axis, tracks, x, y);
    setTip(hit && { x, y, hit });
    if (hit?.op !== cursor) point(hit?.op);
  };
  const onPointerUp = (event: PointerEvent): void => {
    const begun = drag.current;
    drag.current = undefined;
    if (!begun || begun.isMoved) return;
    const hit = hitAt(timeline, axis, tracks, event.offsetX, event.offsetY);
    if (hit) props.onOpen(hit);
  };

  return (
    <div class="exirviz-timeline-tracks" ref={place}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="slider"
        aria-label="Ops in execution order"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, count)}
        aria-valuenow={(cursor ?? props.start) + 1}
        aria-valuetext={count ? opLines(timeline, cursor ?? props.start).join(", ") : "no ops"}
        style={{ width: `${width}px`, height: `${full}px` }}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => {
          setTip(undefined);
          point(undefined);
        }}
        onDblClick={() => setView(undefined)}
      />
      {tip && <Tip x={tip.x} y={tip.y} width={width} height={full} lines={linesOf(timeline, tip.hit)} />}
    </div>
  );
}

function drawGround(ground: Ground, width: number, height: number, ratio: number): HTMLCanvasElement {
  const image = document.createElement("canvas");
  image.width = width * ratio;
  image.height = height * ratio;
  const context = image.getContext("2d");
  if (!context) return image;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paintTracks(context, ground);
  return image;
}

const ordered = (a: number, b: number): Range => [Math.min(a, b), Math.max(a, b)];

/** Moves the end of the brush at the cursor; without one, a brush begins there. */
export function extended(brush: readonly Range[], at: number, to: number): Range {
  const [range] = brush.length === 1 ? brush : [];
  if (range?.[1] === at) return ordered(range[0], to);
  if (range?.[0] === at) return ordered(range[1], to);
  return ordered(at, to);
}

/** The target of a key; undefined for other keys. */
function target(key: string, at: number, count: number): number | undefined {
  const page = Math.max(1, Math.round(count / 20));
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(count - 1, at + step));
}
