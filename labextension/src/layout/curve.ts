/**
 * How the points of a line are drawn, in one place for the canvas, the SVG export and the tests.
 *
 * Two points with equal x or equal y are joined by a straight line; its corner with the next one is rounded.
 * Two others are joined by an S that leaves and arrives vertically and stays between the two heights, so that
 * it cannot touch a box. A NaN pair lifts the pen.
 */

export interface PathSink {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void;
}

/** Pixels. */
const CORNER = 6;

/** Draws points a…b (indices of points, not of numbers). */
export function trace(points: Float64Array, a: number, b: number, sink: PathSink): void {
  let down = false;
  for (let i = a; i < b; i++) {
    const x = points[2 * i]!;
    const y = points[2 * i + 1]!;
    if (Number.isNaN(x)) {
      down = false;
      continue;
    }
    if (!down) {
      sink.moveTo(x, y);
      down = true;
      continue;
    }
    const px = points[2 * i - 2]!;
    const py = points[2 * i - 1]!;
    if (px !== x && py !== y) {
      const middle = (py + y) / 2;
      sink.bezierCurveTo(px, middle, x, middle, x, y);
    } else if (i + 1 < b && isCorner(points, i)) corner(points, i, sink);
    else sink.lineTo(x, y);
  }
}

/** Whether the straight segments before and after point i form a right angle. */
function isCorner(points: Float64Array, i: number): boolean {
  const [px, py, x, y] = [points[2 * i - 2]!, points[2 * i - 1]!, points[2 * i]!, points[2 * i + 1]!];
  const [nx, ny] = [points[2 * i + 2]!, points[2 * i + 3]!];
  return (px === x && ny === y && nx !== x) || (py === y && nx === x && ny !== y);
}

/** Draws up to and around the corner at point i; the next segment starts where the curve ends. */
function corner(points: Float64Array, i: number, sink: PathSink): void {
  const [px, py, x, y] = [points[2 * i - 2]!, points[2 * i - 1]!, points[2 * i]!, points[2 * i + 1]!];
  const [nx, ny] = [points[2 * i + 2]!, points[2 * i + 3]!];
  const r = Math.min(
    CORNER,
    (Math.abs(x - px) + Math.abs(y - py)) / 2,
    (Math.abs(nx - x) + Math.abs(ny - y)) / 2,
  );
  sink.lineTo(x - Math.sign(x - px) * r, y - Math.sign(y - py) * r);
  sink.bezierCurveTo(x, y, x, y, x + Math.sign(nx - x) * r, y + Math.sign(ny - y) * r);
}
