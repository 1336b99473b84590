/**
 * The changes on the canvas: a tint and an outline in the colour of each change, its sign at the corner, the
 * counts in closed modules, and rings around the counterparts of the selection. Unchanged boxes stay grey.
 * Pure.
 */

import { type Level, levelOf, textScale } from "../../canvas/detail_level";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import type { Look, Paint, Signs } from "../../canvas/look";
import { headPrimitives } from "../../canvas/module_headers";
import type { Place } from "../../canvas/op_boxes";
import type { Primitive } from "../../canvas/primitives";
import { font, fontSize, mixed, type Theme } from "../../canvas/theme";
import type { Explorer } from "../../explorer";
import { type Camera, type Size, visibleWorld } from "../../geometry/camera";
import { Kind, type Scene } from "../../layout";
import { BADGE } from "../../picture";
import type { Counts } from "../model/schema";
import type { Tally } from "../model/tally";
import {
  CHANGE_KINDS,
  type ChangeKind,
  colorOf,
  isChange,
  signOf,
  textColorOf,
  textColorOn,
} from "./change_colors";
import { type ChangedSlot, cellAt, OverviewMarks } from "./overview_marks";

/** Fills of boxes: changed ones in a faint colour, unchanged ones in a fainter grey. */
export function changePaint(tallyNow: () => Tally, theme: Theme, scene: () => Scene): Paint {
  const grey = mixed(theme.boxLine, theme.box, theme.isDark ? 0.14 : 0.12);
  return (slot) => {
    const shown = scene();
    const { item, kind } = shown;
    const tally = tallyNow();
    const at = item[slot] ?? -1;
    if (kind[slot] === Kind.Leaf) {
      const change = tally.kind(at);
      return isChange(change) ? mixed(colorOf(change), theme.box, theme.isDark ? 0.3 : 0.17) : grey;
    }
    const most = groupKind(tally.countsAt(shown, slot));
    return most ? mixed(colorOf(most), theme.box, theme.isDark ? 0.24 : 0.12) : undefined;
  };
}

/** The colour of a box that is drawn as a dot; undefined if it is unchanged. */
export function dotColor(tally: Tally, { picture, state }: Explorer, item: number): string | undefined {
  const kind = picture.isGroup(item) ? groupKind(tally.countsSeen(state.scene, item)) : tally.kind(item);
  return kind && isChange(kind) ? colorOf(kind) : undefined;
}

/** Outlines and signs of changes in view, and rings around the slots that are `highlighted`. */
export function signPrimitives(
  tally: Tally | undefined,
  highlighted: ReadonlySet<number>,
  look: Look,
  camera: Camera,
  screen: Size,
): Signs {
  const level = levelOf(camera.zoom);
  const { kind, item } = look.scene;
  const out: Made = { under: [], over: [] };
  const least = level === "shapes" ? cellAt(camera.zoom) : 1 / camera.zoom;
  for (const slot of tally ? slotsIn(look, visibleWorld(camera, screen), least) : []) {
    const of = item[slot] ?? -1;
    if (!tally || kind[slot] === Kind.Open || look.stretches?.has(of)) continue;
    const at = placeOf(look, slot, camera);
    if (kind[slot] === Kind.Leaf) leafSign(look, at, tally.kind(of), level, out);
    else groupSign(look, slot, at, tally.countsAt(look.scene, slot), level, out);
  }
  if (tally && level === "shapes")
    out.under.push(...overviewMarksOf(tally, look).primitives(look, camera, screen));
  for (const slot of highlighted) out.over.push(highlightRing(look, placeOf(look, slot, camera)));
  return out;
}

const marksByTally = new WeakMap<Tally, { readonly scene: Scene; readonly overviewMarks: OverviewMarks }>();

/** The marks of the current scene. */
function overviewMarksOf(tally: Tally, look: Look): OverviewMarks {
  const { scene } = look;
  const known = marksByTally.get(tally);
  if (known?.scene === scene) return known.overviewMarks;
  const overviewMarks = new OverviewMarks(scene, changedIn(tally, look));
  marksByTally.set(tally, { scene, overviewMarks });
  return overviewMarks;
}

/** Boxes of ops and closed modules that changed. */
function changedIn(tally: Tally, { scene, stretches }: Look): ChangedSlot[] {
  const found: ChangedSlot[] = [];
  for (const item of tally.changedLeaves) {
    const slot = scene.slotOf[item] ?? -1;
    const kind = tally.kind(item);
    if (scene.kind[slot] === Kind.Leaf && isChange(kind) && !stretches?.has(item)) found.push({ slot, kind });
  }
  scene.kind.forEach((is, slot) => {
    if (is !== Kind.Closed || stretches?.has(scene.item[slot] ?? -1)) return;
    const kind = groupKind(tally.countsAt(scene, slot));
    if (kind) found.push({ slot, kind });
  });
  return found;
}

interface Made {
  readonly under: Primitive[];
  readonly over: Primitive[];
}

function leafSign(look: Look, at: Place, kind: ReturnType<Tally["kind"]>, level: Level, out: Made): void {
  if (!isChange(kind)) return;
  out.under.push(outline(at, 6, kind, level));
  if (level !== "shapes") badge(look, at, kind, out.over);
}

function groupSign(look: Look, slot: number, at: Place, counts: Counts, level: Level, out: Made): void {
  const most = groupKind(counts);
  if (!most) return;
  out.under.push(outline(at, 9, most, level));
  if (level === "shapes")
    headPrimitives({ ...look, theme: { ...look.theme, text: textColorOn(most) } }, slot, at, out.under);
  else if (level === "full") pill(look, at, partsOf(counts, look.theme), out.over, colorOf(most));
  // At a lower zoom there is no room for counts between the names of two boxes.
  else badge(look, at, most, out.over);
}

/** "−3", "~2": the count of each kind, in its colour. */
export const partsOf = (counts: Counts, { isDark }: Theme) =>
  CHANGE_KINDS.filter((kind) => counts[kind]).map((kind) => ({
    text: `${signOf(kind)}${counts[kind]}`,
    color: textColorOf(kind, isDark),
  }));

/** Zoomed out, the whole box has its colour. */
export function outline(at: Place, radius: number, kind: ChangeKind, level: Level): Primitive {
  const { x, y, width, height, zoom } = at;
  const color = colorOf(kind);
  if (level === "shapes") {
    return { type: "box", x, y, width, height, radius: 0, fill: color };
  }
  const isDashed = kind === "removed";
  return {
    type: "box",
    x,
    y,
    width,
    height,
    radius: radius * Math.min(1, zoom),
    line: color,
    lineWidth: 2,
    ...(isDashed && { dashed: true }),
  };
}

/**
 * The sign on a disc at the box's top right corner; for changes in the next column, hollow at the lower
 * right.
 */
export function badge({ theme }: Look, at: Place, kind: ChangeKind, out: Primitive[], isNext = false): void {
  const radius = Math.max(6.5, 8 * Math.min(1.2, at.zoom)) * (isNext ? 0.85 : 1);
  // The name reaches to the right of a small box, so the disc is farther out.
  const inwards = at.height >= 5 * radius ? 0.3 : -0.3;
  const x = at.x + at.width - radius * inwards;
  const y = isNext ? at.y + at.height - radius * inwards : at.y + radius * inwards;
  out.push({
    type: "box",
    x: x - radius,
    y: y - radius,
    width: 2 * radius,
    height: 2 * radius,
    radius,
    fill: isNext ? theme.box : colorOf(kind),
    line: isNext ? colorOf(kind) : theme.box,
    lineWidth: 1.5,
  });
  out.push({
    type: "text",
    x,
    y: y + radius * 0.5,
    text: signOf(kind),
    font: font(theme, "op", (radius * 1.45) / fontSize("op")),
    color: isNext ? textColorOf(kind, theme.isDark) : textColorOn(kind),
    align: "center",
  });
}

const pillAt = ({ zoom }: Place): { readonly scale: number; readonly gap: number } => {
  const scale = textScale(zoom, fontSize("badge"));
  return { scale, gap: 6 * scale };
};

/** The counts of a closed module on its top edge, from the right; for the next column, on its bottom edge. */
export function pill(
  { theme, width: measure }: Look,
  at: Place,
  parts: readonly { readonly text: string; readonly color: string }[],
  out: Primitive[],
  line: string = theme.boxLine,
  isNext = false,
): void {
  const { scale, gap } = pillAt(at);
  const widths = parts.map(({ text }) => measure(text, "badge") * scale);
  const width = widths.reduce((sum, each) => sum + each + gap, gap * 0.7);
  const height = 15 * scale;
  let x = Math.max(at.x, at.x + at.width - width - 6);
  // No lower than the badges or the name in the box, and no higher than needed: headers are close above.
  const badgeTop = (at.height - Math.max(13, BADGE.height * at.zoom)) / 2;
  const lap = Math.min(height * 0.45, badgeTop);
  const y = isNext ? at.y + at.height - lap : at.y - height + lap;
  out.push({ type: "box", x, y, width, height, radius: height / 2, fill: theme.box, line, lineWidth: 1 });
  x += gap * 0.85;
  parts.forEach(({ text, color }, i) => {
    out.push({ type: "text", x, y: y + height * 0.73, text, font: bold(theme, scale), color });
    x += (widths[i] ?? 0) + gap;
  });
}

const bold = (theme: Theme, scale: number): string => font(theme, "badge", scale);

function highlightRing({ theme }: Look, at: Place): Primitive {
  const gap = 3;
  return {
    type: "box",
    x: at.x - gap,
    y: at.y - gap,
    width: at.width + 2 * gap,
    height: at.height + 2 * gap,
    radius: 6 * Math.min(1, at.zoom) + gap,
    line: theme.accent,
    lineWidth: 3,
  };
}

/**
 * The kind of a module: added or removed if all its ops are, else rewritten or changed; undefined if unchanged.
 */
export function groupKind({ same = 0, added = 0, removed = 0, ...both }: Counts): ChangeKind | undefined {
  const { changed = 0, rewritten = 0, moved = 0 } = both;
  const kept = same + changed + rewritten + moved;
  if (!kept && added && !removed) return "added";
  if (!kept && removed && !added) return "removed";
  if (rewritten) return "rewritten";
  if (changed || added || removed) return "changed";
  return moved ? "moved" : undefined;
}
