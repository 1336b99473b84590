/** Bounds of a scene's strokes: left, top, right, bottom of each, made once per scene. */
import type { Scene } from "../layout";

const known = new WeakMap<Scene, Float64Array>();

export function strokeBounds(scene: Scene): Float64Array {
  const found = known.get(scene);
  if (found) return found;
  const { pointStart, points, value } = scene.ink;
  const bounds = new Float64Array(4 * value.length);
  for (let s = 0; s < value.length; s++) {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let p = pointStart[s]!; p < pointStart[s + 1]!; p++) {
      const x = points[2 * p]!;
      const y = points[2 * p + 1]!;
      if (Number.isNaN(x)) continue;
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
    }
    bounds[4 * s] = x0;
    bounds[4 * s + 1] = y0;
    bounds[4 * s + 2] = x1;
    bounds[4 * s + 3] = y1;
  }
  known.set(scene, bounds);
  return bounds;
}
