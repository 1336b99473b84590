/** Dotted threads between the graphs, from the selected nodes to their counterparts, behind other boxes. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { levelOf } from "../../canvas/detail_level";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import type { Look } from "../../canvas/look";
import { HEAD } from "../../canvas/module_headers";
import type { CanvasView } from "../../canvas/view";
import { type Camera, type Rect, type Size, visibleWorld } from "../../geometry/camera";
import { Kind } from "../../layout";
import { SIDES, type Side } from "../model/changes";
import type { Pair } from "../model/pair";
import type { Row } from "../model/row";
import { colorOf, isChange } from "./change_colors";
import { useColumns } from "./context";

export interface ThreadsProps {
  /** The name of the mount. */
  readonly mount: string;
  readonly views: readonly CanvasView[];
  /** Calls back after each paint; returns a function that stops it. */
  readonly onPaint: (repaint: () => void) => () => void;
}

interface End {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** More threads could not be followed. */
const MOST = 24;

export function Threads({ mount, views, onPaint }: ThreadsProps): JSX.Element {
  const columns = useColumns();
  const svg = useRef<SVGSVGElement>(null);
  const group = useRef<SVGGElement>(null);
  const clip = useRef<SVGPathElement>(null);
  useEffect(() => {
    let lastDrawn = "";
    const draw = (): void => {
      const layer = svg.current;
      if (!layer || !group.current || !clip.current) return;
      const drawn = columns.row.pairs
        .flatMap((pair) =>
          columns.threaded(pair).flatMap((match) => pathsOf(pair, match, views.slice(pair.at), layer)),
        )
        .slice(0, MOST);
      const free = drawn.length > 0 ? freeOf(columns.row, views, layer) : "";
      const now = drawn.map(({ d, color }) => d + color).join("") + free;
      if (now === lastDrawn) return;
      lastDrawn = now;
      clip.current.setAttribute("d", free);
      group.current.replaceChildren(
        ...drawn.map(({ d, color }) => {
          const path = layer.ownerDocument.createElementNS("http://www.w3.org/2000/svg", "path");
          path.setAttribute("d", d);
          path.setAttribute("stroke", color);
          return path;
        }),
      );
    };
    const off = [onPaint(draw), columns.store.subscribe(draw)];
    draw();
    return () => {
      for (const each of off) each();
    };
  }, [columns, views, onPaint]);
  const name = `${mount}-free`;
  return (
    <svg class="exirviz-threads" ref={svg} aria-hidden="true">
      <clipPath id={name}>
        <path ref={clip} clip-rule="evenodd" />
      </clipPath>
      <g ref={group} clip-path={`url(#${name})`} />
    </svg>
  );
}

/** The layer without the boxes and headers that have text. */
function freeOf(row: Row, views: ThreadsProps["views"], layer: SVGSVGElement): string {
  const { left, top, width, height } = layer.getBoundingClientRect();
  const path = ({ x, y, width: wide, height: high }: Rect): string =>
    `M${x.toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(1)}v${high.toFixed(1)}h${(-wide).toFixed(1)}z`;
  const occluders = views.flatMap((view, column) => {
    const { camera, screen } = row.explorer(column).viewportStore.state;
    const canvas = view.canvas.getBoundingClientRect();
    return occludersOf(view.look(), camera, screen).map((occluder) =>
      path({ ...occluder, x: occluder.x + canvas.left - left, y: occluder.y + canvas.top - top }),
    );
  });
  return path({ x: 0, y: 0, width, height }) + occluders.join("");
}

function pathsOf(
  pair: Pair,
  match: number,
  views: ThreadsProps["views"],
  layer: SVGSVGElement,
): { readonly d: string; readonly color: string }[] {
  const kind = pair.changes.kind(match);
  const color = isChange(kind) ? colorOf(kind) : "#8a8f98";
  const box = layer.getBoundingClientRect();
  const [from = [], to = []] = SIDES.map((side) => endsOf(pair, match, side, views[side], box));
  return from.flatMap((a) => to.map((b) => ({ d: curve(a, b), color })));
}

/**
 * Where the boxes of a match are, in pixels of the layer; those out of view end at the edge of their graph.
 */
function endsOf(pair: Pair, match: number, side: Side, view: CanvasView | undefined, layer: DOMRect): End[] {
  const { scene } = pair.explorers[side].state;
  const look = view?.look();
  if (!view || look?.scene !== scene) return [];
  const { camera } = pair.explorers[side].viewportStore.state;
  const canvas = view.canvas.getBoundingClientRect();
  const [dx, dy] = [canvas.left - layer.left, canvas.top - layer.top];
  const within = (x: number, most: number): number => Math.max(0, Math.min(most, x));
  return pair.slots(match, side).map((slot) => {
    const { x, y, width, height } = placeOf(look, slot, camera);
    return {
      left: dx + within(x, canvas.width),
      right: dx + within(x + width, canvas.width),
      y: dy + within(y + height / 2, canvas.height),
    };
  });
}

function curve(a: End, b: End): string {
  const [from, to] = [Math.round(a.right + 3), Math.round(b.left - 3)];
  const bend = Math.max(24, (to - from) / 2.2);
  const [y, end] = [Math.round(a.y), Math.round(b.y)];
  return `M${from} ${y}C${from + bend} ${y} ${to - bend} ${end} ${to} ${end}`;
}

/**
 * Boxes and headers with text, which cover the threads between graphs: no thread crosses text. In screen
 * pixels, inside the screen; none if boxes have no text. They do not overlap.
 */
export function occludersOf(look: Look, camera: Camera, screen: Size): Rect[] {
  if (levelOf(camera.zoom) === "shapes") return [];
  const found: Rect[] = [];
  for (const slot of slotsIn(look, visibleWorld(camera, screen))) {
    const at = placeOf(look, slot, camera);
    const high = look.scene.kind[slot] === Kind.Open ? HEAD * camera.zoom : at.height;
    const [left, top] = [Math.max(0, at.x), Math.max(0, at.y)];
    const width = Math.min(screen.width, at.x + at.width) - left;
    const height = Math.min(screen.height, at.y + high) - top;
    if (width > 0 && height > 0) found.push({ x: left, y: top, width, height });
  }
  return found;
}
