/**
 * Names of open modules when zoomed out so far that their headers have no room for them. Each is written
 * across its module, as on a map. They are placed between the boxes as they are now, also while these move.
 */

import type { Point, Rect, Size } from "../geometry/camera";
import type { Scene } from "../layout";
import { SMALLEST_TEXT } from "./detail_level";
import { touches } from "./labels";
import type { Look } from "./look";
import { HEAD, titleOf } from "./module_headers";
import type { Place } from "./op_boxes";
import type { TextPrimitive } from "./primitives";
import { font, fontSize } from "./theme";
import { groundAt } from "./tint";

/** A smaller module has no name when zoomed out. Screen pixels. */
export const NAMED_MODULE = { width: 44, height: 26 } as const;
/** A lower header has no room for the smallest text. Screen pixels. */
const NAMED_HEAD = 8;
/** Screen pixels between a name and its module's border, and the space without other names around it. */
const NAME = { left: 5, top: 2, width: 120, height: 18 } as const;

interface OverviewName {
  readonly words: TextPrimitive;
  /** Space that no other name may touch. */
  readonly ground: Rect;
}

/** `placed`: where a slot is on the screen. */
export function overviewName(
  look: Look,
  slot: number,
  placed: (slot: number) => Place,
): OverviewName | undefined {
  const { theme, clip } = look;
  const at = placed(slot);
  const head = HEAD * at.zoom;
  const least = SMALLEST_TEXT / fontSize("module");
  // Boxes are close below the header: the name is in the header's middle if it fits there.
  const isNear = head >= NAMED_HEAD;
  const most = isNear ? (head * 0.74) / fontSize("module") : 1.25;
  const scale = Math.max(least, Math.min(most, at.width / 160, at.height / 90));
  const text = clip(titleOf(look, slot), "module", (at.width - 8) / scale);
  if (!text) return undefined;
  const height = fontSize("module") * scale;
  const size = { width: look.width(text, "module") * scale, height };
  const { x, y } = isNear ? beginning(at) : freePlace(look, slot, placed, size);
  const words: TextPrimitive = {
    type: "text",
    x,
    y: isNear ? at.y + head / 2 + height * 0.36 : y + height,
    text,
    font: font(theme, "module", scale),
    color: theme.text,
    alpha: 0.9,
    halo: groundAt(look, slot),
  };
  const left = x - NAME.left;
  const width = Math.min(NAME.width, at.x + at.width - left);
  return { words, ground: { x: left, y: y - NAME.top, width, height: NAME.height } };
}

const beginning = ({ x, y }: Place): Point => ({ x: x + NAME.left, y: y + NAME.top });

/**
 * A place for text that covers no box, at the left or the right, as high as possible; the top left if the
 * upper half is full.
 */
function freePlace(look: Look, slot: number, placed: (slot: number) => Place, words: Size): Point {
  const at = placed(slot);
  const first = beginning(at);
  const boxes = downwards(look, slot);
  const step = words.height / 2;
  const highest = (x: number, until: number): Point | undefined => {
    let { y } = first;
    for (const each of boxes) {
      const box = placed(each);
      if (y >= until || box.y > y + words.height) break;
      const below = box.y + box.height - y;
      if (touches({ x, y, ...words }, box)) y += step * (Math.floor(below / step) + 1);
    }
    return y < until ? { x, y } : undefined;
  };
  const half = at.y + at.height / 2;
  const left = highest(first.x, half);
  const right = highest(at.x + at.width - words.width - NAME.left, left?.y ?? half);
  return right ?? left ?? first;
}

const known = new WeakMap<Scene, Map<number, Int32Array>>();

/** The boxes in an open module, sorted by their tops; cached per scene. */
function downwards(look: Look, slot: number): Int32Array {
  const { scene, rect } = look;
  if (rect !== scene.rect) return sorted(look, slot);
  const ofScene = known.get(scene) ?? new Map<number, Int32Array>();
  const boxes = ofScene.get(slot) ?? sorted(look, slot);
  known.set(scene, ofScene.set(slot, boxes));
  return boxes;
}

function sorted({ picture, scene, rect }: Look, slot: number): Int32Array {
  const children = picture.childrenOf(scene.item[slot] ?? 0);
  const slots = new Set(children.map((child) => scene.slotOf[child] ?? -1));
  slots.delete(-1);
  return Int32Array.from(slots).sort((a, b) => (rect[4 * a + 1] ?? 0) - (rect[4 * b + 1] ?? 0));
}
