/** Primitives of an op's box: bar of its kind, name, value, chips of folded parameters. */
import { BOX, CHIP, shownChips } from "../picture";
import { KINDS } from "../snapshot";
import { type Level, readable, SMALLEST_TEXT } from "./level";
import type { Look } from "./look";
import type { Primitive } from "./primitives";
import { font, fontSize, mixed } from "./theme";

/** A box's place on the screen, in whole pixels where it is large enough for that to show. */
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
    const fill = paint ?? mixed(color, theme.box, theme.isDark ? 0.62 : 0.5);
    out.push({ type: "box", x: at.x, y: at.y, width: at.width, height: at.height, radius: 0, fill, alpha });
    return;
  }
  const radius = 6 * Math.min(1, at.zoom);
  const line = theme.boxLine;
  out.push({ type: "box", ...place(at), radius, fill: paint ?? theme.box, line, lineWidth: 1, alpha });
  const bar = Math.max(2, 4 * at.zoom);
  out.push({
    type: "box",
    x: at.x,
    y: at.y,
    width: bar,
    height: at.height,
    radius,
    isLeft: true,
    fill: color,
    alpha,
  });
  if (level === "full") fullText(look, item, at, alpha, paint !== undefined, out);
  else nameText(look, item, at, alpha, out);
}

const place = ({ x, y, width, height }: Place): Omit<Place, "zoom"> => ({ x, y, width, height });

function fullText(
  look: Look,
  item: number,
  at: Place,
  alpha: number,
  isPainted: boolean,
  out: Primitive[],
): void {
  const { theme, clip, picture } = look;
  const room = at.width - (BOX.left + 5) * at.zoom;
  const x = at.x + BOX.left * at.zoom;
  const second = picture.words.subtitle(item);
  const line = (text: string, role: "op" | "value", y: number, color: string): void => {
    const scale = readable(at.zoom, fontSize(role), look.width(text, role), room);
    const shown = clip(text, role, room / scale);
    out.push({ type: "text", x, y, text: shown, font: font(theme, role, scale), color, alpha });
  };
  line(picture.words.title(item), "op", at.y + (second ? 16 : 23) * at.zoom, theme.ink);
  if (second) line(second, "value", at.y + 30.5 * at.zoom, isPainted ? theme.ink : theme.dim);
}

/** One line, large enough to be read, as much of it as fits. */
function nameText(look: Look, item: number, at: Place, alpha: number, out: Primitive[]): void {
  const { theme, clip, picture } = look;
  const size = Math.max(SMALLEST_TEXT, Math.min(fontSize("op"), at.height * 0.44));
  const scale = size / fontSize("op");
  const pad = Math.max(5, BOX.left * at.zoom * 0.8);
  const text = clip(picture.words.title(item), "op", (at.width - pad - 3) / scale);
  if (!text) return;
  const y = at.y + at.height / 2 + fontSize("op") * scale * 0.35;
  out.push({ type: "text", x: at.x + pad, y, text, font: font(theme, "op", scale), color: theme.ink, alpha });
}

/** Parameters folded into the op, on its top edge, from the right; above rings and lines. */
export function chipPrimitives(look: Look, slot: number, at: Place, out: Primitive[]): void {
  const { theme, marks } = look;
  const item = look.scene.item[slot] ?? 0;
  const alpha = marks.bright && !marks.bright[slot] ? 0.28 : 1;
  const texts = look.picture.words.chips(item);
  if (texts.length === 0) return;
  const z = at.zoom;
  const height = CHIP.height * z;
  let right = at.x + at.width - CHIP.inset * z;
  for (const text of shownChips(texts).reverse()) {
    const width = (look.width(text, "chip") + 2 * CHIP.pad) * z;
    if (right - width < at.x + 6 * z) return;
    const [x, y] = [right - width, at.y - height / 2];
    out.push({
      type: "box",
      x,
      y,
      width,
      height,
      radius: height / 2,
      fill: theme.panel,
      line: theme.boxLine,
      lineWidth: 1,
      alpha,
    });
    const scale = readable(z, fontSize("chip"), look.width(text, "chip"), width - 4);
    const baseline = y + height / 2 + 3.3 * scale;
    const face = font(theme, "chip", scale);
    const middle = x + width / 2;
    out.push({
      type: "text",
      x: middle,
      y: baseline,
      text,
      font: face,
      color: theme.dim,
      align: "center",
      alpha,
    });
    right = x - CHIP.gap * z;
  }
}
