/**
 * Changes of a column's boxes in the next column, while its colours show changes since the previous one:
 * hollow signs below, and a dashed line around removed boxes. Pure.
 */

import { type Level, levelOf } from "../../canvas/detail_level";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import type { Above, Look } from "../../canvas/look";
import type { Place } from "../../canvas/op_boxes";
import type { Primitive } from "../../canvas/primitives";
import { visibleWorld } from "../../geometry/camera";
import { Kind } from "../../layout";
import type { Counts } from "../model/schema";
import type { Tally } from "../model/tally";
import { colorOf, isChange } from "./change_colors";
import { badge, groupKind, outline, partsOf, pill } from "./change_signs";

/** `tallyNow`: the changes in the next column; undefined while changes are hidden. */
export function withNext(above: Above, tallyNow: () => Tally | undefined): Above {
  return (look, camera, screen) => {
    const { under, over } = above(look, camera, screen);
    const level = levelOf(camera.zoom);
    const tally = tallyNow();
    if (!tally || level === "shapes") return { under, over };
    const { kind, item } = look.scene;
    const lines: Primitive[] = [];
    const signs: Primitive[] = [];
    for (const slot of slotsIn(look, visibleWorld(camera, screen), 1 / camera.zoom)) {
      const of = item[slot] ?? -1;
      if (kind[slot] === Kind.Open || look.stretches?.has(of)) continue;
      const at = placeOf(look, slot, camera);
      if (kind[slot] !== Kind.Leaf) groupNext(look, at, tally.countsAt(look.scene, slot), level, signs);
      else {
        const change = tally.kind(of);
        if (change === "removed") lines.push(outline(at, 6, change, level));
        if (isChange(change)) badge(look, at, change, signs, true);
      }
    }
    return { under: [...lines, ...under], over: [...signs, ...over] };
  };
}

/** Zoomed out, there is no room for counts between two boxes. */
function groupNext(look: Look, at: Place, counts: Counts, level: Level, out: Primitive[]): void {
  const most = groupKind(counts);
  if (!most) return;
  if (level === "full") pill(look, at, partsOf(counts, look.theme), out, colorOf(most), true);
  else badge(look, at, most, out, true);
}
