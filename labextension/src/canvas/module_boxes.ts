/** Primitives of a module's box, open or closed: tint by depth, the sheets of a run, the bar of an op. */
import { Kind } from "../layout";
import { ItemKind } from "../picture";
import { KINDS, OP_KINDS, PALETTE } from "../snapshot";
import { gapScale, type Level } from "./detail_level";
import type { Look } from "./look";
import { kindBar, type Place } from "./op_boxes";
import type { Primitive } from "./primitives";
import { groundAt, groundAtDepth, spreadFill, strengthAt } from "./tint";

export function modulePrimitives(look: Look, slot: number, at: Place, level: Level, out: Primitive[]): void {
  const { theme, scene, marks } = look;
  const isOpen = scene.kind[slot] === Kind.Open;
  const depth = scene.depth[slot] ?? 0;
  const alpha = marks.bright && !marks.bright[slot] && !isOpen ? 0.28 : 1;
  const members = scene.members[slot] ?? 1;
  const item = scene.item[slot] ?? 0;
  const radius = level === "shapes" ? Math.min(9 * at.zoom, at.height / 4) : 9 * Math.min(1, at.zoom);
  const strength = strengthAt(theme, depth);
  // Where backends run the rest, the tint of modules would look like that of a backend.
  const isCpu = !isOpen && !look.isCompared && look.picture.words.isAllOnCpu(item);
  const own = isCpu ? theme.box : undefined;
  const fill =
    (!isOpen && (closedFill(look, slot, own) ?? own)) ||
    `rgba(${theme.tint},${(isOpen ? strength : strength + 0.05).toFixed(3)})`;
  const line = `rgba(${theme.tint},${level === "shapes" ? 0.3 : 0.42})`;
  const { x, y, width, height } = at;
  if (members > 1 && level !== "shapes") {
    // A run of identical modules: the edges of more sheets show behind its box.
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
  const isSmall = !look.isCompared && look.picture.words.isSmallDelegate(item);
  const stroke =
    isSmall || (isCpu && !isOurs)
      ? { line: theme.text, lineWidth: 1.25, dashed: isSmall }
      : { line, lineWidth: 1, dashed: isOurs };
  out.push({ type: "box", x, y, width, height, radius, fill, ...stroke, alpha });
  holderBar(look, item, at, alpha, out);
  if (!isOpen) kindStrip(look, item, at, { level, radius, alpha }, out);
}

/**
 * How many colours of the palette distinguish delegates that have several parts in one picture: all before
 * grey.
 */
const PART_COLORS = 6;

/** The colour of a closed module, `own` where an overlay gives it none; undefined if it has only that. */
export function closedFill(
  look: Pick<Look, "paint" | "spread" | "theme" | "scene">,
  slot: number,
  own?: string,
): string | undefined {
  const { paint, spread, theme } = look;
  if (!paint?.(slot) && !spread?.before?.(slot) && !(own && spread)) return undefined;
  return spreadFill(
    look,
    slot,
    (color, hasOverlay) =>
      color ?? (hasOverlay ? own : undefined) ?? groundAtDepth(theme, look.scene.depth[slot] ?? 0),
  );
}

/** The height of the strip in world pixels, and at least this many screen pixels where names are readable. */
const STRIP = { height: 4, least: 2.5 } as const;

/**
 * The strip at the lower edge of a closed module: a share of the width for each kind of op. It fills half of
 * the box when zoomed out too far for names.
 */
function kindStrip(
  look: Look,
  item: number,
  at: Place,
  { level, radius, alpha }: { readonly level: Level; readonly radius: number; readonly alpha: number },
  out: Primitive[],
): void {
  const isFar = level === "shapes";
  // Colours of a comparison mean something else. Zoomed out, one colour must be enough.
  if (look.isCompared || (isFar && look.paint)) return;
  const counts = look.picture.opKinds(item);
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return;
  const inset = Math.max(1, radius * 0.75);
  const room = at.width - 2 * inset;
  const height = isFar ? at.height * 0.55 : Math.max(STRIP.least, STRIP.height * gapScale(at.zoom));
  if (room < 4 || height < 1) return;
  const y = at.y + at.height - height - (isFar ? at.height * 0.2 : 2);
  let x = at.x + inset;
  counts.forEach((count, kind) => {
    if (count === 0) return;
    const width = (room * count) / all;
    const fill = KINDS[OP_KINDS[kind] ?? "other"].color;
    out.push({ type: "box", x, y, width, height, radius: 0, fill, alpha: alpha * (isFar ? 0.85 : 0.7) });
    x += width;
  });
}

/** An op that holds graphs keeps the bar of its kind; the parts of one delegate share a colour. */
function holderBar(look: Look, item: number, at: Place, alpha: number, out: Primitive[]): void {
  if (look.picture.kindOf(item) !== ItemKind.Holder) return;
  const { words, snapshot } = look.picture;
  const number = words.partOf(item) && words.delegateOf(item)?.number;
  const fill =
    number === undefined
      ? KINDS[snapshot.kind(look.picture.nodeOf(item))].color
      : (PALETTE[number % PART_COLORS] ?? look.theme.line);
  out.push(kindBar(at, fill, alpha, { width: 5, radius: 9 }));
}
