/** Primitives of a module's box, open or closed: tint by depth, the sheets of a run, the bar of an op. */
import { Kind } from "../layout";
import { ItemKind } from "../picture";
import { KINDS } from "../snapshot";
import { headPrimitives } from "./heads";
import type { Level } from "./level";
import type { Look } from "./look";
import { kindBar, type Place } from "./nodes";
import type { Primitive } from "./primitives";
import { groundAt, strengthAt } from "./tint";

export function modulePrimitives(look: Look, slot: number, at: Place, level: Level, out: Primitive[]): void {
  const { theme, scene, marks } = look;
  const isOpen = scene.kind[slot] === Kind.Open;
  const depth = scene.depth[slot] ?? 0;
  const alpha = marks.bright && !marks.bright[slot] && !isOpen ? 0.28 : 1;
  const members = scene.members[slot] ?? 1;
  const item = scene.item[slot] ?? 0;
  const radius = level === "shapes" ? Math.min(9 * at.zoom, at.height / 4) : 9 * Math.min(1, at.zoom);
  const strength = strengthAt(theme, depth);
  const fill =
    (!isOpen && look.paint?.(slot)) ||
    `rgba(${theme.tint},${(isOpen ? strength : strength + 0.05).toFixed(3)})`;
  const line = `rgba(${theme.tint},${level === "shapes" ? 0.3 : 0.42})`;
  const { x, y, width, height } = at;
  if (members > 1 && level !== "shapes") {
    // A run: the edges of further sheets show behind it.
    const step = 3 * at.zoom;
    const back = {
      type: "box",
      x: x + step,
      y: y + step,
      width,
      height,
      radius,
      line,
      lineWidth: 1,
      alpha,
    } as const;
    const around = look.picture.parentOf(item);
    const ground = groundAt(look, around < 0 ? -1 : (scene.slotOf[around] ?? -1));
    out.push({ ...back, fill: ground }, { ...back, fill });
    out.push({ type: "box", x, y, width, height, radius, fill: ground, alpha });
  }
  const isOurs = look.picture.kindOf(item) === ItemKind.Ours;
  out.push({ type: "box", x, y, width, height, radius, fill, line, lineWidth: 1, dashed: isOurs, alpha });
  holderBar(look, item, at, alpha, out);
  if (!isOpen) headPrimitives(look, slot, at, level, out);
}

/** An op that holds graphs keeps the bar of its kind. */
function holderBar(look: Look, item: number, at: Place, alpha: number, out: Primitive[]): void {
  if (look.picture.kindOf(item) !== ItemKind.Holder) return;
  const fill = KINDS[look.picture.snapshot.kind(look.picture.nodeOf(item))].color;
  out.push(kindBar(at, fill, alpha, { width: 5, radius: 9 }));
}
