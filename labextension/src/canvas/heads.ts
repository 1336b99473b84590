/** Primitives of a module's head: caret, title, class, badges. */
import { Kind } from "../layout";
import { BADGE, MODULE } from "../picture";
import { type Level, SMALLEST_TEXT, textScale } from "./level";
import type { Look } from "./look";
import type { Place } from "./nodes";
import type { Primitive } from "./primitives";
import { font, fontSize } from "./theme";
import { dimOnTint, groundAt } from "./tint";

/** World pixels: the head of an open module. */
export const HEAD = 32;
/** A title has at least this part of its head, if it needs it: badges give way to it. */
const TITLE = 0.7;
/** World pixels between a title and what follows it. */
const CLEAR = 8;

/** Title, class and badges; where the zoom leaves no room for them, the title at a size that can be read. */
export function headPrimitives(look: Look, slot: number, at: Place, level: Level, out: Primitive[]): void {
  const alpha = headAlpha(look, slot);
  if (level === "full") fullHead(look, slot, at, alpha, out);
  else if (!isFarNamed(look, slot, at.zoom) && HEAD * at.zoom >= 10) plainHead(look, slot, at, alpha, out);
}

/** Where the rest is dimmed, a closed module that has no part in what is lit is paler; an open one's name stays. */
const headAlpha = ({ scene, marks }: Look, slot: number): number =>
  marks.bright && !marks.bright[slot] && scene.kind[slot] !== Kind.Open ? 0.28 : 1;

export function titleOf(look: Look, slot: number): string {
  const { picture, scene } = look;
  const item = scene.item[slot] ?? 0;
  const members = scene.members[slot] ?? 1;
  const title = picture.words.title(item);
  if (members === 1) return title;
  const siblings = picture.equalSiblings(item);
  const last = siblings[siblings.indexOf(item) + members - 1];
  return last === undefined || !picture.words.isNamed(item)
    ? title
    : `${title} – ${picture.words.title(last)}`;
}

function fullHead(look: Look, slot: number, at: Place, alpha: number, out: Primitive[]): void {
  const { theme, picture, scene, clip } = look;
  const z = at.zoom;
  const item = scene.item[slot] ?? 0;
  const isOpen = scene.kind[slot] === Kind.Open;
  const middle = at.y + (isOpen ? 16 * z : at.height / 2);
  const y = middle + 4.5 * z;
  const left = at.x + MODULE.left * z;
  const halo = isOpen ? { halo: groundAt(look, slot) } : {};
  const write = (text: string, role: "module" | "class", x: number, color: string, more = {}): void => {
    const face = font(theme, role, textScale(z, fontSize(role)));
    out.push({ type: "text", x, y, text, font: face, color, alpha, ...more });
  };
  const wide = (text: string, role: "module" | "class"): number =>
    look.width(text, role) * textScale(z, fontSize(role));
  // On a colour that is laid over the box nothing is dim: the hottest leaves dim words at 2.4 : 1.
  const isPainted = !isOpen && look.paint?.(slot) !== undefined;
  write(isOpen ? "▾" : "▸", "class", at.x + 11 * z, isPainted ? theme.ink : theme.dim);
  const title = titleOf(look, slot);
  const least = left + Math.min(wide(title, "module"), at.width * TITLE);
  const right = badges(look, badgesOf(look, slot), { at, middle, least, isOpen, slot, alpha }, out);
  const room = right - left - CLEAR * z;
  const name = clip(title, "module", room / textScale(z, fontSize("module")));
  if (name) write(name, "module", left, theme.ink, halo);
  const used = wide(name, "module") + 9 * z;
  const cls = picture.words.subtitle(item);
  const dim = isPainted ? theme.ink : dimOnTint(theme);
  if (cls && wide(cls, "class") <= room - used) write(cls, "class", left + used, dim, halo);
}

function badgesOf({ picture, scene }: Look, slot: number): string[] {
  const item = scene.item[slot] ?? 0;
  const members = scene.members[slot] ?? 1;
  const texts = picture.words.badges(item);
  if (members > 1) texts.push(`×${members}`);
  else if (scene.kind[slot] === Kind.Open && picture.equalsOf(item) > 1)
    texts.push(`one of ${picture.equalsOf(item)} equal`);
  return texts;
}

interface Row {
  readonly at: Place;
  readonly slot: number;
  readonly isOpen: boolean;
  /** Screen pixels: the middle of the row, and where the title ends. */
  readonly middle: number;
  readonly least: number;
  readonly alpha: number;
}

/**
 * From the right; those that would come too near to the title are left out, but before a badge more the title gives
 * way. Leaves where they begin.
 */
function badges(look: Look, all: readonly string[], row: Row, out: Primitive[]): number {
  const { theme } = look;
  const { at, middle, alpha } = row;
  const z = at.zoom;
  const scale = textScale(z, fontSize("badge"));
  const height = Math.max(13, BADGE.height * z);
  let left = at.x + at.width - 9 * z;
  const wide = (text: string): number => look.width(text, "badge") * scale + 2 * BADGE.pad * z;
  const ways = look.badge?.(row.slot);
  const texts = ways ? fitting(ways, all, wide, left - row.least - 16 * z, BADGE.gap * z) : all;
  const from = at.x + MODULE.left * z;
  for (const [i, text] of [...texts].reverse().entries()) {
    const width = wide(text);
    const x = left - width - (i ? BADGE.gap * z : 0);
    if (x < (ways && i === texts.length - 1 ? from : row.least) + CLEAR * z) break;
    // Lines that enter an open module run under its badges, not through their letters.
    const y = middle - height / 2;
    const plate = { type: "box", x, y, width, height, radius: height / 2, alpha } as const;
    if (row.isOpen) out.push({ ...plate, fill: groundAt(look, row.slot) });
    out.push({ ...plate, fill: `rgba(${theme.tint},0.16)` });
    out.push({
      type: "text",
      x: x + width / 2,
      y: middle + 3.7 * scale,
      text,
      font: font(theme, "badge", scale),
      color: theme.ink,
      align: "center",
      alpha,
    });
    left = x;
  }
  return left;
}

/** A badge more stays, said the longest way that leaves the title whole, if any does; those after it give way. */
function fitting(
  ways: readonly string[],
  others: readonly string[],
  wide: (text: string) => number,
  room: number,
  gap: number,
): readonly string[] {
  const first = ways.find((text) => wide(text) <= room) ?? ways.at(-1);
  if (first === undefined) return others;
  let left = room - wide(first);
  const kept = [...others].reverse().filter((text) => {
    const width = wide(text) + gap;
    if (width > left) return false;
    left -= width;
    return true;
  });
  return [first, ...kept.reverse()];
}

/** Screen pixels: before the name, and between it and a badge more, which has no plate there. */
const PLAIN = { left: 7, clear: 10 } as const;

/** The name, and a badge more where there is room beside it. */
function plainHead(look: Look, slot: number, at: Place, alpha: number, out: Primitive[]): void {
  const { theme, scene, clip } = look;
  const isOpen = scene.kind[slot] === Kind.Open;
  const high = isOpen ? HEAD * at.zoom : at.height;
  const scale = Math.max(SMALLEST_TEXT, Math.min(fontSize("module"), high * 0.46)) / fontSize("module");
  const middle = at.y + (isOpen ? 16 * at.zoom : at.height / 2);
  const members = scene.members[slot] ?? 1;
  const times = members > 1 ? ` ×${members}` : "";
  const text = clip(titleOf(look, slot) + times, "module", (at.width - 12) / scale);
  if (!text) return;
  const y = middle + fontSize("module") * scale * 0.36;
  const said = { type: "text", y, color: theme.ink, alpha } as const;
  out.push({ ...said, x: at.x + PLAIN.left, text, font: font(theme, "module", scale) });
  const badge = textScale(at.zoom, fontSize("badge"));
  const room = at.width - 2 * PLAIN.left - look.width(text, "module") * scale - PLAIN.clear;
  const more = look.badge?.(slot)?.find((way) => look.width(way, "badge") * badge <= room);
  if (more === undefined) return;
  const x = at.x + at.width - PLAIN.left;
  out.push({ ...said, x, text: more, align: "right", font: font(theme, "badge", badge) });
}

/** Whether an open module's head is too small for its name. */
export const isFarNamed = ({ scene }: Look, slot: number, zoom: number): boolean =>
  scene.kind[slot] === Kind.Open && HEAD * zoom < 13;
