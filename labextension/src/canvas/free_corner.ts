/** The corner of the screen in which a floating element covers least. Pure. */

import { type Camera, type Rect, type Size, toWorld } from "../geometry/camera";
import { Kind, type Scene } from "../layout";
import { HEAD } from "./module_headers";

/** In order of preference if several corners are equally free. */
export const CORNERS = ["bottom right", "top right", "bottom left", "top left"] as const;
export type Corner = (typeof CORNERS)[number];

/** Screen pixels between the edge of the screen and the floating element. */
const INSET = 12;
/** A selected box weighs as much as this many others, with this margin around it in world pixels. */
const SELECTED = 20;
const MARGIN = 40;
/** Another corner must cover less than this share of the area covered now. */
const WORTH_IT = 0.5;

interface Seen {
  readonly scene: Pick<Scene, "item" | "kind" | "rect">;
  readonly selected: ReadonlySet<number>;
  readonly camera: Camera;
  readonly screen: Size;
}

/** `now`: the current corner. The element stays there until another corner is clearly better. */
export function freestCorner(seen: Seen, size: Size, now: Corner): Corner {
  const covers = (corner: Corner): number => covered(seen, cornerRect(corner, seen.screen, size));
  const here = covers(now);
  if (here === 0) return now;
  let best = now;
  let least = here * WORTH_IT;
  for (const corner of CORNERS) {
    const there = corner === now ? here : covers(corner);
    if (there >= least) continue;
    best = corner;
    least = there;
  }
  return best;
}

export function cornerRect(corner: Corner, screen: Size, { width, height }: Size): Rect {
  const x = corner.endsWith("right") ? screen.width - INSET - width : INSET;
  const y = corner.startsWith("bottom") ? screen.height - INSET - height : INSET;
  return { x, y, width, height };
}

/**
 * The area of boxes under a rectangle of the screen, in screen pixels squared. Of open modules only the
 * headers count.
 */
function covered({ scene, selected, camera }: Seen, rect: Rect): number {
  let area = 0;
  const { x: left, y: top } = toWorld(camera, rect);
  const [right, bottom] = [left + rect.width / camera.zoom, top + rect.height / camera.zoom];
  for (let slot = 0, at = 0; slot < scene.item.length; slot++, at += 4) {
    const isSelected = selected.has(slot);
    const margin = isSelected ? MARGIN : 0;
    const [x, y] = [scene.rect[at]! - margin, scene.rect[at + 1]! - margin];
    const wide = Math.min(right, x + scene.rect[at + 2]! + 2 * margin) - Math.max(left, x);
    const height = scene.kind[slot] === Kind.Open ? HEAD : scene.rect[at + 3]!;
    const high = Math.min(bottom, y + height + 2 * margin) - Math.max(top, y);
    if (wide > 0 && high > 0) area += wide * high * (isSelected ? SELECTED : 1);
  }
  return area * camera.zoom ** 2;
}
