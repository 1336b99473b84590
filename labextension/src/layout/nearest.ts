/**
 * Lines as they are drawn (see `curve.ts`), to find what is near them: curves are split into short straight
 * segments.
 */

import { type PathSink, trace } from "./curve";

const PIECES = 12;

/** The distance from a point to a line. */
export function distanceToLine(points: Float64Array, a: number, b: number, x: number, y: number): number {
  let least = Number.POSITIVE_INFINITY;
  eachPiece(points, a, b, (ax, ay, bx, by) => {
    least = Math.min(least, distanceToPiece(x, y, ax, ay, bx, by));
  });
  return least;
}

/** Whether a line crosses a rectangle, or comes as near as the approximation allows. */
export function lineMeets(
  points: Float64Array,
  a: number,
  b: number,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): boolean {
  let isHit = false;
  eachPiece(points, a, b, (ax, ay, bx, by) => {
    const isLeftOrRight = Math.max(ax, bx) <= x || Math.min(ax, bx) >= x + width;
    const isOver = Math.max(ay, by) <= y || Math.min(ay, by) >= y + height;
    isHit ||= !isLeftOrRight && !isOver;
  });
  return isHit;
}

type Piece = (ax: number, ay: number, bx: number, by: number) => void;

function eachPiece(points: Float64Array, a: number, b: number, take: Piece): void {
  let px = 0;
  let py = 0;
  const lineTo = (qx: number, qy: number): void => {
    take(px, py, qx, qy);
    px = qx;
    py = qy;
  };
  const sink: PathSink = {
    moveTo: (qx, qy) => {
      px = qx;
      py = qy;
    },
    lineTo,
    bezierCurveTo: (ax, ay, bx, by, qx, qy) => {
      const [x0, y0] = [px, py];
      for (let i = 1; i <= PIECES; i++) {
        const t = i / PIECES;
        const u = 1 - t;
        const [c0, c1, c2, c3] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
        lineTo(c0 * x0 + c1 * ax + c2 * bx + c3 * qx, c0 * y0 + c1 * ay + c2 * by + c3 * qy);
      }
    },
  };
  trace(points, a, b, sink);
}

function distanceToPiece(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const t = length ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}
