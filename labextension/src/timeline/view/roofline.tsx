/**
 * The roofline on a canvas: a point per op, sized by its time; dragging highlights points, a click selects
 * one.
 */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { font, type Theme } from "../../canvas/theme";
import { amountText, byteText, flopText, KINDS } from "../../snapshot";
import { plural } from "../../ui/text";
import type { Timeline } from "../model";
import { type LogAxis, logAxis, logPlace, logTicks, type Point, pointAt, type Roofline } from "../roofline";
import { opLines } from "../timeline_text";
import { DRAG, isOfHost, Tip, useDrawing, useWidth } from "./parts";

interface RooflineProps {
  readonly timeline: Timeline;
  readonly roofline: Roofline;
  readonly theme: Theme;
  readonly height: number;
  /** By op; empty if nothing is highlighted. */
  readonly brushed: ReadonlySet<number>;
  readonly selected: ReadonlySet<number>;
  readonly onBrush: (ops: readonly number[]) => void;
  readonly onOpen: (op: number) => void;
  readonly onPoint: (op: number | undefined) => void;
}

const ROOM = { left: 84, right: 14, top: 8, bottom: 34 } as const;
/** Radii in pixels: of the shortest op, and the addition for the longest. */
const RADIUS = { least: 3, more: 11 } as const;

interface Corner {
  readonly x: number;
  readonly y: number;
}

export function RooflineChart(props: RooflineProps): JSX.Element {
  const { timeline, roofline, theme, height, brushed, selected } = props;
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<Corner & { isMoved: boolean }>(undefined);
  const width = useWidth(place);
  const [cursor, setCursor] = useState<number>();
  const [tip, setTip] = useState<Corner>();
  const [box, setBox] = useState<readonly [Corner, Corner]>();
  const { points } = roofline;
  const drawn = useMemo(() => placesOf(roofline, width, height), [roofline, width, height]);

  useDrawing(canvas, { width, height, count: points.length }, (context, ratio) => {
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, { timeline, roofline, theme, width, height, drawn, brushed, selected, cursor, box });
  });

  const point = (at: number | undefined, tipAt?: Corner): void => {
    setCursor(at);
    setTip(tipAt);
    props.onPoint(at === undefined ? undefined : points[at]?.op);
  };
  useEffect(() => {
    setCursor(undefined);
    setTip(undefined);
    return () => props.onPoint(undefined);
  }, [roofline]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isOfHost(event)) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -points.length, End: points.length }[event.key];
    const at = cursor ?? 0;
    const { x, y } = drawn.places[at] ?? { x: 0, y: 0 };
    if (step !== undefined) {
      const to = Math.max(0, Math.min(points.length - 1, (cursor ?? -Math.sign(step)) + step));
      point(to, drawn.places[to] ?? { x, y });
    } else if (event.key === "Enter" || event.key === " ") props.onOpen(points[at]?.op ?? 0);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointerMove = (event: PointerEvent): void => {
    const { offsetX: x, offsetY: y } = event;
    const begun = drag.current;
    if (begun && (begun.isMoved || Math.hypot(x - begun.x, y - begun.y) >= DRAG)) {
      begun.isMoved = true;
      point(undefined);
      setBox([begun, { x, y }]);
      props.onBrush(within(points, drawn.places, begun, { x, y }));
      return;
    }
    const at = pointAt(drawn.places, x, y);
    point(at < 0 ? undefined : at, at < 0 ? undefined : { x, y });
  };
  const says = cursor === undefined ? undefined : points[cursor];
  return (
    <div class="exirviz-timeline-tracks" ref={place}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="slider"
        aria-label="Roofline: ops by FLOP/s and FLOPs per byte"
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={(cursor ?? 0) + 1}
        aria-valuetext={says ? linesOf(timeline, says).join(", ") : plural(points.length, "op")}
        style={{ width: `${width}px`, height: `${height}px` }}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          canvas.current?.setPointerCapture(event.pointerId);
          drag.current = { x: event.offsetX, y: event.offsetY, isMoved: false };
        }}
        onPointerMove={onPointerMove}
        onPointerUp={(event) => {
          const begun = drag.current;
          drag.current = undefined;
          setBox(undefined);
          if (!begun || begun.isMoved) return;
          const hit = points[pointAt(drawn.places, event.offsetX, event.offsetY)];
          if (hit) props.onOpen(hit.op);
        }}
        onPointerCancel={() => {
          drag.current = undefined;
          setBox(undefined);
        }}
        onPointerLeave={() => point(undefined)}
      />
      {tip && says && (
        <Tip x={tip.x} y={tip.y} width={width} height={height} lines={linesOf(timeline, says)} />
      )}
    </div>
  );
}

interface Drawn {
  readonly x: LogAxis;
  readonly y: LogAxis;
  readonly places: readonly (Corner & { readonly radius: number })[];
}

function placesOf({ points, roofs, longest }: Roofline, width: number, height: number): Drawn {
  const ridge = roofs.rate / roofs.bandwidth;
  const x = logAxis(
    [...points.map(({ intensity }) => intensity), ridge],
    ROOM.left,
    Math.max(ROOM.left + 1, width - ROOM.right),
  );
  const y = logAxis(
    points.map(({ rate }) => rate),
    height - ROOM.bottom,
    ROOM.top,
  );
  const places = points.map(({ intensity, rate, time }) => ({
    x: logPlace(x, intensity),
    y: logPlace(y, rate),
    radius: RADIUS.least + RADIUS.more * Math.sqrt(time / longest),
  }));
  return { x, y, places };
}

function within(points: readonly Point[], places: Drawn["places"], a: Corner, b: Corner): number[] {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  return points.flatMap(({ op }, i) => {
    const at = places[i];
    return at && at.x >= left && at.x <= right && at.y >= top && at.y <= bottom ? [op] : [];
  });
}

function linesOf(timeline: Timeline, { op, intensity, rate }: Point): string[] {
  const [name = "", ...more] = opLines(timeline, op);
  const sums = `${flopText(rate)}/s, ${amountText(intensity)} FLOP per byte`;
  return [name, sums, ...more];
}

interface Painted extends Pick<RooflineProps, "timeline" | "roofline" | "theme" | "brushed" | "selected"> {
  readonly width: number;
  readonly height: number;
  readonly drawn: Drawn;
  readonly cursor: number | undefined;
  readonly box: readonly [Corner, Corner] | undefined;
}

function paint(context: CanvasRenderingContext2D, painted: Painted): void {
  const { timeline, roofline, theme, drawn, brushed, selected, cursor, box } = painted;
  context.font = font(theme, "class", 11 / 12);
  context.textBaseline = "middle";
  paintAxes(context, painted);
  const { snapshot } = timeline.sequence;
  roofline.points.forEach(({ op, node }, i) => {
    const { x, y, radius } = drawn.places[i] ?? { x: 0, y: 0, radius: 0 };
    context.globalAlpha = brushed.size > 0 && !brushed.has(op) ? 0.12 : 0.72;
    context.fillStyle = KINDS[snapshot.kind(node)].color;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
    if (!selected.has(op) && cursor !== i) return;
    context.strokeStyle = cursor === i ? theme.text : theme.accent;
    context.lineWidth = 2;
    context.stroke();
  });
  if (!box) return;
  const [a, b] = box;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1;
  context.strokeRect(Math.min(a.x, b.x), Math.min(a.y, b.y), Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}

function paintAxes(
  context: CanvasRenderingContext2D,
  { roofline, theme, drawn, width, height }: Painted,
): void {
  const { x, y } = drawn;
  const { rate, bandwidth } = roofline.roofs;
  const bottom = height - ROOM.bottom;
  for (const tick of logTicks(x)) {
    const at = logPlace(x, tick);
    context.fillStyle = theme.line;
    context.fillRect(Math.round(at), ROOM.top, 1, bottom - ROOM.top);
    context.fillStyle = theme.dim;
    context.textAlign = "center";
    context.fillText(amountText(tick), at, bottom + 9);
  }
  for (const tick of logTicks(y)) {
    const at = logPlace(y, tick);
    context.fillStyle = theme.line;
    context.fillRect(ROOM.left, Math.round(at), width - ROOM.left - ROOM.right, 1);
    context.fillStyle = theme.dim;
    context.textAlign = "right";
    context.fillText(`${flopText(tick)}/s`, ROOM.left - 6, at);
  }
  context.fillStyle = theme.text;
  context.textAlign = "right";
  context.fillText("FLOP per byte moved", width - ROOM.right, height - 9);
  context.strokeStyle = theme.dim;
  context.lineWidth = 1.25;
  context.setLineDash([5, 4]);
  const low = 10 ** x.from;
  context.save();
  context.beginPath();
  context.rect(ROOM.left, 0, width - ROOM.left - ROOM.right, bottom);
  context.clip();
  context.beginPath();
  context.moveTo(logPlace(x, low), logPlace(y, low * bandwidth));
  context.lineTo(logPlace(x, rate / bandwidth), logPlace(y, rate));
  context.lineTo(x.end, logPlace(y, rate));
  context.stroke();
  context.restore();
  context.setLineDash([]);
  context.fillStyle = theme.dim;
  context.textAlign = "left";
  const best = `dashed: best of this run, ${flopText(rate)}/s and ${byteText(bandwidth)}/s`;
  context.fillText(best, ROOM.left, height - 9);
}
