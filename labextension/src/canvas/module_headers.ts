/** Primitives of a module's header: caret, title, class, badges. */
import { Kind } from "../layout";
import { BADGE, FIRST, MODULE } from "../picture";
import { baselineIn, gapScale, textScale } from "./detail_level";
import type { Look } from "./look";
import type { Place } from "./op_boxes";
import type { Primitive } from "./primitives";
import { font, fontSize } from "./theme";
import { dimOnTint, groundAt } from "./tint";

/** The height of an open module's header, in world pixels. */
export const HEAD = 32;
/** A lower header has no room for a line of text. Screen pixels. */
const LEAST_HEAD = 12;
/**
 * A title gets at least this share of its header if it needs it. In a narrow header it gets all, and badges
 * are left out.
 */
const TITLE = 0.6;
/** World pixels between a title and what follows it. */
const CLEAR = 8;
/** Screen pixels before the caret and before the title, at least. */
const CARET = 6;
const LEAD = 19;

/** Screen pixels from a module's left edge to its title. The caret is before it. */
export const titleLeft = (zoom: number): number => Math.max(LEAD, MODULE.left * gapScale(zoom));

/** The header of a module that continues beside the view ends at the view's edges, if this many pixels are in view. */
const PINNED = 150;

/** The place of a header of which the view shows a part: badges that are right of the view move into it. */
export const headIn = (at: Place, viewWidth: number): Place => ({
  ...at,
  width: Math.min(at.width, Math.max(viewWidth - at.x, PINNED)),
});

const headStart = ({ x, width }: Place): number => Math.max(x, Math.min(0, x + width - PINNED));

/**
 * Caret, title, class and badges in one line, as far as there is room; nothing if the text would be
 * unreadable.
 */
export function headPrimitives(look: Look, slot: number, at: Place, out: Primitive[]): void {
  const isOpen = look.scene.kind[slot] === Kind.Open;
  if ((isOpen ? HEAD * at.zoom : at.height) < LEAST_HEAD) return;
  head(look, slot, at, isOpen, out);
}

/**
 * While other boxes are dimmed, a closed module without a highlighted box is paler. The name of an open
 * module stays.
 */
const headAlpha = ({ scene, marks }: Look, slot: number): number =>
  marks.bright && !marks.bright[slot] && scene.kind[slot] !== Kind.Open ? 0.28 : 1;

export function titleOf(look: Look, slot: number): string {
  const { picture, scene } = look;
  const item = scene.item[slot] ?? 0;
  const members = scene.members[slot] ?? 1;
  if (members === 1) return picture.words.title(item);
  const siblings = picture.equalSiblings(item);
  const last = siblings[siblings.indexOf(item) + members - 1];
  return picture.words.titleOfRun(item, last ?? item);
}

function head(look: Look, slot: number, at: Place, isOpen: boolean, out: Primitive[]): void {
  const { theme, picture, scene, clip } = look;
  const k = gapScale(at.zoom);
  const alpha = headAlpha(look, slot);
  const item = scene.item[slot] ?? 0;
  const middle = at.y + (isOpen ? (HEAD / 2) * at.zoom : at.height / 2);
  const size = fontSize("module") * textScale(at.zoom, fontSize("module"));
  const y = middle + baselineIn(isOpen ? HEAD * at.zoom : at.height, size);
  const start = headStart(at);
  const left = start + titleLeft(at.zoom);
  const write = (text: string, role: "module" | "class", x: number, color: string): void => {
    out.push({
      type: "text",
      x,
      y,
      text,
      font: font(theme, role, textScale(at.zoom, fontSize(role))),
      color,
      alpha,
    });
  };
  const wide = (text: string, role: "module" | "class"): number =>
    look.width(text, role) * textScale(at.zoom, fontSize(role));
  // No dimmed text on an overlay colour: on the hottest colour its contrast is only 2.4 : 1.
  const isPainted = !isOpen && look.paint?.(slot) !== undefined;
  const title = titleOf(look, slot);
  const whole = at.x + at.width - start;
  const least = left + Math.min(wide(title, "module"), whole * (at.zoom < FIRST.zoom ? 1 : TITLE));
  const row: Row = { at, middle, least, isOpen, slot, alpha };
  const { left: right, shown } = badges(look, badgesOf(look, slot), row, out);
  const room = right - left - CLEAR * k;
  const times = timesOf(look, slot);
  const full = times && !shown.includes(times) ? `${title} ${times}` : title;
  const name = clip(full, "module", room / textScale(at.zoom, fontSize("module")));
  const used = wide(name, "module") + 9 * k;
  const cls = picture.words.subtitle(item);
  const isClassed = cls !== "" && wide(cls, "class") <= room - used;
  // Lines that enter an open module are drawn below its text, not through the letters.
  if (isOpen && name) {
    const width = left - start - CARET + (isClassed ? used + wide(cls, "class") : used - 9 * k) + 4;
    out.push({
      type: "box",
      x: start + CARET - 1,
      y: middle - 8,
      width,
      height: 16,
      radius: 3,
      fill: groundAt(look, slot),
    });
  }
  write(isOpen ? "▾" : "▸", "class", start + Math.max(CARET, 11 * k), isPainted ? theme.text : theme.dim);
  if (name) write(name, "module", left, theme.text);
  if (isClassed) write(cls, "class", left + used, isPainted ? theme.text : dimOnTint(theme));
}

/** "×32" for a run of identical modules in one box. */
function timesOf({ scene }: Pick<Look, "scene">, slot: number): string {
  const members = scene.members[slot] ?? 1;
  return members > 1 ? `×${members}` : "";
}

function badgesOf({ picture, scene }: Look, slot: number): string[] {
  const item = scene.item[slot] ?? 0;
  const texts = picture.words.badges(item);
  const times = timesOf({ scene }, slot);
  if (times) texts.push(times);
  else if (scene.kind[slot] === Kind.Open && picture.equalsOf(item) > 1)
    texts.push(`1 of ${picture.equalsOf(item)} identical`);
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
 * Badges from the right. One that would touch the title is left out, but the title is shortened for an
 * additional badge. Returns where they begin and which are shown.
 */
function badges(
  look: Look,
  all: readonly string[],
  row: Row,
  out: Primitive[],
): { readonly left: number; readonly shown: readonly string[] } {
  const { theme } = look;
  const { at, middle, alpha } = row;
  const k = gapScale(at.zoom);
  const scale = textScale(at.zoom, fontSize("badge"));
  const high = row.isOpen ? HEAD * at.zoom : at.height;
  const height = Math.max(LEAST_HEAD, Math.min(BADGE.height, high - 4));
  let left = at.x + at.width - 9 * k;
  const wide = (text: string): number => look.width(text, "badge") * scale + 2 * BADGE.pad * k;
  const ways = look.badge?.(row.slot);
  const texts = ways ? fitting(ways, all, wide, left - row.least - 16 * k, BADGE.gap * k) : all;
  const from = headStart(at) + titleLeft(at.zoom);
  // What no backend runs looks like an op on the CPU: white, with a dark line.
  const onCpu = look.picture.words.cpuBadge(look.scene.item[row.slot] ?? 0);
  const shown: string[] = [];
  for (const [i, text] of [...texts].reverse().entries()) {
    const width = wide(text);
    const x = left - width - (i ? BADGE.gap * k : 0);
    if (x < (ways && i === texts.length - 1 ? from : row.least) + CLEAR * k) break;
    const y = middle - height / 2;
    const plate = { type: "box", x, y, width, height, radius: height / 2, alpha } as const;
    if (text === onCpu) {
      out.push({ ...plate, fill: theme.box, line: theme.text, lineWidth: 1.25 });
    } else {
      if (row.isOpen) out.push({ ...plate, fill: groundAt(look, row.slot) });
      out.push({ ...plate, fill: `rgba(${theme.tint},0.16)` });
    }
    out.push({
      type: "text",
      x: x + width / 2,
      y: middle + baselineIn(high, fontSize("badge") * scale),
      text,
      font: font(theme, "badge", scale),
      color: theme.text,
      align: "center",
      alpha,
    });
    shown.push(text);
    left = x;
  }
  return { left, shown };
}

/**
 * The longest text of the additional badge that leaves the title whole, if there is one. Later badges are
 * left out.
 */
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

/** Whether the header of an open module is too small for its name. */
export const hasOverviewName = ({ scene }: Look, slot: number, zoom: number): boolean =>
  scene.kind[slot] === Kind.Open && HEAD * zoom < LEAST_HEAD;
