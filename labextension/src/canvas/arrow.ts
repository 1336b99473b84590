/** Arrow heads: one shape for the canvas and for SVG. */

/** x and y of the tip and of the two other corners. */
type Head = readonly [number, number, number, number, number, number];

/** The size of an arrow head in screen pixels, for a line of this width. */
export const headSize = (lineWidth: number, zoom: number): number =>
  (3.2 + lineWidth) * Math.min(1, zoom) ** 0.5;

/**
 * An arrow head with its tip at point `i`, in the direction of the line's last segment. Curves arrive
 * vertically.
 */
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
