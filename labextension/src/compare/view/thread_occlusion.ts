/**
 * What covers the threads between graphs: boxes and headers with text, so that no thread crosses text. Pure.
 */

import { levelOf } from "../../canvas/detail_level";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import type { Look } from "../../canvas/look";
import { HEAD } from "../../canvas/module_headers";
import { type Camera, type Rect, type Size, visibleWorld } from "../../geometry/camera";
import { Kind } from "../../layout";

/** In screen pixels, inside the screen; none if boxes have no text. They do not overlap. */
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
