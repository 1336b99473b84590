/** Primitives of a module's head: caret, title, class, badges; of an open one seen from afar, its name alone. */
import { Kind } from "../layout";
import { BADGE, ItemKind, MODULE } from "../picture";
import { type Level, readable, SMALLEST_TEXT } from "./level";
import type { Look } from "./look";
import type { Place } from "./nodes";
import type { Primitive } from "./primitives";
import { font, fontSize } from "./theme";
import { dimOnTint, groundAt } from "./tint";

const HEAD = 32;

/** Title, class and badges; where the zoom leaves no room for them, the title alone at a size that can be read. */
export function headPrimitives(look: Look, slot: number, at: Place, level: Level, out: Primitive[]): void {
  const alpha = headAlpha(look, slot);
  if (level === "full") fullHead(look, slot, at, alpha, out);
  else if (!isFarNamed(look, slot, at.zoom) && HEAD * at.zoom >= 10) plainHead(look, slot, at, alpha, out);
}

/** Where the rest is dimmed, a closed module that has no part in what is lit is paler; an open one's name stays. */
const headAlpha = ({ scene, marks }: Look, slot: number): number =>
  marks.bright && !marks.bright[slot] && scene.kind[slot] !== Kind.Open ? 0.28 : 1;

function titleOf(look: Look, slot: number): string {
  const { picture, scene } = look;
  const item = scene.item[slot] ?? 0;
  const members = scene.members[slot] ?? 1;
  const title = picture.words.title(item);
  if (members === 1) return title;
  const siblings = picture.equalSiblings(item);
  const last = siblings[siblings.indexOf(item) + members - 1];
  return last === undefined || picture.kindOf(item) === ItemKind.Ours
    ? title
    : `${title} – ${picture.words.title(last)}`;
}

function fullHead(look: Look, slot: number, at: Place, alpha: number, out: Primitive[]): void {
  const { theme, picture, scene, clip } = look;
  const z = at.zoom;
  const item = scene.item[slot] ?? 0;
  const isOpen = scene.kind[slot] === Kind.Open;
  const middle = at.y + (isOpen ? 16 : at.height / z / 2) * z;
  const caret = isOpen ? "▾" : "▸";
  const face = font(theme, "class", z);
  const y = middle + 4.5 * z;
  out.push({ type: "text", x: at.x + 11 * z, y, text: caret, font: face, color: theme.dim, alpha });
  const members = scene.members[slot] ?? 1;
  const texts = picture.words.badges(item);
  if (members > 1) texts.push(`×${members}`);
  else if (isOpen && picture.equalsOf(item) > 1) texts.push(`one of ${picture.equalsOf(item)} equal`);
  const left = at.x + MODULE.left * z;
  const title = titleOf(look, slot);
  const wants = look.width(title, "module") * z;
  const ground = isOpen ? groundAt(look, slot) : undefined;
  const right = badges(look, texts, at, middle, ground, left + Math.min(wants, at.width * 0.5), alpha, out);
  const room = (right - left) / z - 8;
  const name = clip(title, "module", room);
  const halo = isOpen ? { halo: groundAt(look, slot) } : {};
  out.push({
    type: "text",
    x: left,
    y,
    text: name,
    font: font(theme, "module", z),
    color: theme.ink,
    alpha,
    ...halo,
  });
  const used = look.width(name, "module") + 9;
  const cls = picture.words.subtitle(item);
  if (cls && look.width(cls, "class") <= room - used) {
    out.push({
      type: "text",
      x: left + used * z,
      y,
      text: cls,
      font: face,
      color: dimOnTint(theme),
      alpha,
      ...halo,
    });
  }
}

/** From the right; those that would come too near to the title are left out. Leaves where they begin. */
function badges(
  look: Look,
  texts: readonly string[],
  at: Place,
  middle: number,
  ground: string | undefined,
  least: number,
  alpha: number,
  out: Primitive[],
): number {
  const { theme } = look;
  const z = at.zoom;
  const height = BADGE.height * z;
  let right = at.x + at.width - 9 * z;
  for (const text of [...texts].reverse()) {
    const width = (look.width(text, "badge") + 2 * BADGE.pad) * z;
    if (right - width < least + 6 * z) break;
    const x = right - width;
    // Lines that enter an open module run under its badges, not through their letters.
    const plate = {
      type: "box",
      x,
      y: middle - height / 2,
      width,
      height,
      radius: height / 2,
      alpha,
    } as const;
    if (ground) out.push({ ...plate, fill: ground });
    const fill = `rgba(${theme.tint},0.16)`;
    out.push({ ...plate, fill });
    const scale = readable(z, fontSize("badge"), look.width(text, "badge"), width - 4);
    const face = font(theme, "badge", scale);
    const y = middle + 3.7 * scale;
    out.push({
      type: "text",
      x: x + width / 2,
      y,
      text,
      font: face,
      color: theme.ink,
      align: "center",
      alpha,
    });
    right = x - BADGE.gap * z;
  }
  return right;
}

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
  out.push({
    type: "text",
    x: at.x + 7,
    y,
    text,
    font: font(theme, "module", scale),
    color: theme.ink,
    alpha,
  });
}

/** Whether an open module's head is too small for its name. */
export const isFarNamed = ({ scene }: Look, slot: number, zoom: number): boolean =>
  scene.kind[slot] === Kind.Open && HEAD * zoom < 13;

/** Seen from afar, an open module is named across itself, as a map names a land. */
export function farName(look: Look, slot: number, at: Place, out: Primitive[]): void {
  const { theme, clip } = look;
  if (at.width < 44 || at.height < 26) return;
  const scale = Math.min(
    1.25,
    Math.max(SMALLEST_TEXT / fontSize("module"), Math.min(at.width / 160, at.height / 90)),
  );
  const text = clip(titleOf(look, slot), "module", (at.width - 8) / scale);
  if (!text) return;
  const y = at.y + fontSize("module") * scale + 2;
  out.push({
    type: "text",
    x: at.x + 5,
    y,
    text,
    font: font(theme, "module", scale),
    color: theme.ink,
    alpha: 0.9,
    halo: theme.ground,
  });
}
