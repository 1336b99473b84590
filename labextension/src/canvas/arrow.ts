/** The head of an arrow: one shape on the canvas and in an SVG. */

/** x and y of its tip and of its other two corners. */
type Head = readonly [number, number, number, number, number, number];

/** Screen pixels: three quarters of it is half a head's back, for a line so wide. */
export const headSize = (lineWidth: number, zoom: number): number =>
  (3.2 + lineWidth) * Math.min(1, zoom) ** 0.5;

/** Its tip is point i, along the last piece of its line; curves arrive vertically. */
export function headAt(points: Float64Array, i: number, size: number): Head {
  const [x, y] = [points[2 * i]!, points[2 * i + 1]!];
  const [px, py] = [points[2 * i - 2]!, points[2 * i - 1]!];
  const half = size * 0.75;
  if (py === y && px !== x) {
    const back = x + (px < x ? -size : size) * 1.7;
    return [x, y, back, y - half, back, y + half];
  }
  const back = y + (py > y ? size : -size) * 1.7;
  return [x, y, x - half, back, x + half, back];
}
