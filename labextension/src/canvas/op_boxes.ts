/** Primitives of an op's box: the bar of its kind, name, value, chips of folded parameters. */
import { BOX, CHIP, shownChips } from "../picture";
import { KINDS } from "../snapshot";
import { baselineIn, gapScale, type Level, SMALLEST_TEXT, textScale, tight } from "./detail_level";
import type { Look } from "./look";
import type { Primitive } from "./primitives";
import { font, fontSize, mixed } from "./theme";
import { spreadFill } from "./tint";

/** The place of a box on the screen, in whole pixels if it is large enough to matter. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
}

export function nodePrimitives(look: Look, slot: number, at: Place, level: Level, out: Primitive[]): void {
  const { theme, picture, scene, marks } = look;
  const item = scene.item[slot] ?? 0;
  const node = picture.nodeOf(item);
  const color = KINDS[picture.snapshot.kind(node)].color;
  const alpha = marks.bright && !marks.bright[slot] ? 0.28 : 1;
  const paint = look.paint?.(slot);
  if (level === "shapes") {
    // If colours show something else, a box without a value has no colour.
    const own = (hasOverlay: boolean): string =>
      mixed(hasOverlay ? theme.boxLine : color, theme.box, theme.isDark ? 0.62 : 0.5);
    const fill = spreadFill(look, slot, (paint, hasOverlay) => paint ?? own(hasOverlay));
    const line = lineOf(look, item);
    const box = { type: "box", x: at.x, y: at.y, width: at.width, height: at.height, radius: 0 } as const;
    out.push(
      line.isCpu
        ? { ...box, fill: theme.box, line: theme.dim, lineWidth: 1, alpha }
        : { ...box, fill, alpha },
    );
    return;
  }
  const radius = 6 * Math.min(1, at.zoom);
  const fill = spreadFill(look, slot, (paint) => paint ?? theme.box);
  out.push({ type: "box", ...place(at), radius, fill, ...lineOf(look, item).stroke, alpha });
  out.push(kindBar(at, color, alpha));
  const second = paint === undefined ? theme.dim : theme.text;
  if (level === "full") fullText(look, item, at, { first: theme.text, second, alpha }, out);
  else nameText(look, item, at, { first: theme.text, second, alpha }, out);
}

/**
 * The line around an op. Where backends run the rest, an op on the CPU has a dark one, and the op of a delegate
 * that has no other a dark dashed one: both are where to look first.
 */
function lineOf({ theme, picture: { words }, isCompared }: Look, item: number) {
  const isCpu = !isCompared && words.isOnCpu(item);
  const isSmall = !isCompared && words.isSmallDelegate(item);
  const stroke =
    isCpu || isSmall
      ? { line: theme.text, lineWidth: 1.25, dashed: isSmall }
      : { line: theme.boxLine, lineWidth: 1 };
  return { isCpu, stroke };
}

/** The bar at the left edge of a box; sizes at zoom 1. */
export const kindBar = (at: Place, fill: string, alpha: number, { width, radius } = NODE_BAR): Primitive => ({
  type: "box",
  x: at.x,
  y: at.y,
  width: Math.max(2, width * at.zoom),
  height: at.height,
  radius: radius * Math.min(1, at.zoom),
  isLeft: true,
  fill,
  alpha,
});

const NODE_BAR = { width: 4, radius: 6 };

/** Text colours of a box. */
interface Inks {
  readonly first: string;
  readonly second: string;
  readonly alpha: number;
}

const place = ({ x, y, width, height }: Place): Omit<Place, "zoom"> => ({ x, y, width, height });

/** Where the text of a box begins, and how wide it may be, in screen pixels. */
function wordsIn(at: Place): { readonly x: number; readonly room: number } {
  const left = Math.max(8, BOX.left * gapScale(at.zoom));
  return { x: at.x + left, room: at.width - left - 3 };
}

function fullText(
  look: Look,
  item: number,
  at: Place,
  { first, second: dim, alpha }: Inks,
  out: Primitive[],
): void {
  const { theme, clip, picture } = look;
  const { x, room } = wordsIn(at);
  const write = (text: string, role: "op" | "value", y: number, color: string): void => {
    const scale = textScale(at.zoom, fontSize(role));
    const isWide = role === "value" && look.width(text, role) * scale > room;
    const shown = clip(isWide ? tight(text) : text, role, room / scale);
    if (shown) out.push({ type: "text", x, y, text: shown, font: font(theme, role, scale), color, alpha });
  };
  const second = picture.words.subtitle(item);
  const more = moreLines(at);
  const below = more ? [second, ...picture.words.details(item)].filter(Boolean).slice(0, 1 + more) : [second];
  const lines = below.filter(Boolean).length;
  const gap = LINE * gapScale(at.zoom);
  // Centre the lines vertically in the box.
  let y = at.y + at.height / 2 + 4 * gapScale(at.zoom) - (lines * gap) / 2;
  write(picture.words.title(item), "op", y, first);
  for (const text of below) {
    y += gap;
    if (text) write(text, "value", y, dim);
  }
}

/** Screen pixels from one line of text to the next. */
const LINE = 14.5;

/** How many lines more than two fit into a box that is larger than at zoom 1. */
const moreLines = ({ height }: Place): number => Math.max(0, Math.floor((height - BOX.height) / LINE));

/** One line: the name, then the value if there is room. */
function nameText(
  look: Look,
  item: number,
  at: Place,
  { first, second, alpha }: Inks,
  out: Primitive[],
): void {
  const { theme, clip, picture } = look;
  const scale = SMALLEST_TEXT / fontSize("name");
  const left = Math.max(5, BOX.left * at.zoom * 0.6);
  const room = at.width - left - 2;
  const text = clip(picture.words.title(item), "name", room / scale);
  if (!text) return;
  const y = at.y + at.height / 2 + baselineIn(at.height, SMALLEST_TEXT);
  out.push({ type: "text", x: at.x + left, y, text, font: font(theme, "name", scale), color: first, alpha });
  const used = look.width(text, "name") * scale + 6;
  const value = tight(picture.words.subtitle(item));
  if (!value || look.width(value, "value") > room - used) return;
  out.push({
    type: "text",
    x: at.x + left + used,
    y,
    text: value,
    font: font(theme, "value"),
    color: second,
    alpha,
  });
}

/** Chips of parameters folded into the op, on its top edge from the right, above rings and lines. */
export function chipPrimitives(look: Look, slot: number, at: Place, out: Primitive[]): void {
  const { marks, picture } = look;
  const item = look.scene.item[slot] ?? 0;
  const chips = picture.words.chips(item);
  if (chips.length === 0) return;
  const alpha = marks.bright && !marks.bright[slot] ? 0.28 : 1;
  const scale = textScale(at.zoom, fontSize("chip"));
  const { x, room } = wordsIn(at);
  const opScale = textScale(at.zoom, fontSize("op"));
  const titleEnd = x + Math.min(room, look.width(picture.words.title(item), "op") * opScale);
  // Lines enter in the middle.
  const middle = picture.words.linesInto(item) ? at.x + at.width / 2 + CHIP.middle * at.zoom : 0;
  const from = Math.max(titleEnd + 3, middle);
  // From the right. If not all fit with their shapes, all show only letters, and those without a letter are
  // left out.
  const all = shownChips(chips);
  const gap = CHIP.gap * gapScale(at.zoom);
  const row = all.reduce((sum, { text }) => sum + chipWidth(look, text, at, scale) + gap, -gap);
  let right = at.x + at.width - CHIP.inset * at.zoom;
  const isTight = row > right - from;
  for (const { text: long, short } of all.reverse()) {
    const text = isTight ? short : long;
    const width = chipWidth(look, text, at, scale);
    if (width > right - from) return;
    chip(look, text, { ...at, x: right - width, width }, scale, alpha, out);
    right -= width + gap;
  }
}

const chipWidth = (look: Look, text: string, { zoom }: Place, scale: number): number =>
  look.width(text, "chip") * scale + 2 * CHIP.pad * gapScale(zoom);

/** `at`: the box's place, as wide as the chip. */
function chip(look: Look, text: string, at: Place, scale: number, alpha: number, out: Primitive[]): void {
  const { theme } = look;
  const height = Math.max(13, CHIP.height * gapScale(at.zoom));
  out.push({
    type: "box",
    x: at.x,
    y: at.y - height / 2,
    width: at.width,
    height,
    radius: height / 2,
    fill: theme.panel,
    line: theme.boxLine,
    lineWidth: 1,
    alpha,
  });
  out.push({
    type: "text",
    x: at.x + at.width / 2,
    y: at.y + 3.8 * scale,
    text,
    font: font(theme, "chip", scale),
    color: theme.dim,
    align: "center",
    alpha,
  });
}
