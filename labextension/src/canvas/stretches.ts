/**
 * The box of a run of unchanged siblings: no colour and no bar, only "· 120 unchanged ·", or the name of a
 * single one.
 */
import type { Stretch } from "../picture";
import { grouped } from "../snapshot";
import type { Level } from "./detail_level";
import { textScale } from "./detail_level";
import type { Look } from "./look";
import type { Place } from "./op_boxes";
import type { Primitive } from "./primitives";
import { font, fontSize } from "./theme";

export const stretchAt = ({ stretches, scene }: Look, slot: number): Stretch | undefined =>
  stretches?.get(scene.item[slot] ?? -1);

export function stretchPrimitives(look: Look, slot: number, at: Place, level: Level, out: Primitive[]): void {
  const stretch = stretchAt(look, slot);
  if (!stretch) return;
  const { theme } = look;
  const { x, y, width, height } = at;
  out.push({
    type: "box",
    x,
    y,
    width,
    height,
    radius: height / 2,
    fill: theme.ground,
    line: theme.line,
    lineWidth: 1,
  });
  if (level === "shapes") return;
  const scale = textScale(at.zoom, fontSize("value"));
  const room = (width - 6) / scale;
  const [only, ...others] = stretch.items;
  const name = others.length || only === undefined ? "" : look.picture.words.title(only);
  const words = name ? [`· ${name} ·`, look.clip(name, "value", room)] : countsOf(stretch.count);
  const text = words.find((each) => look.width(each, "value") <= room);
  if (!text) return;
  out.push({
    type: "text",
    x: x + width / 2,
    y: y + height / 2 + 3.6 * scale,
    text,
    font: font(theme, "value", scale),
    color: theme.dim,
    align: "center",
  });
}

/** From the longest text to the shortest; the count is always included. */
const countsOf = (count: number): string[] => [
  `· ${grouped(count)} unchanged ·`,
  `${grouped(count)} same`,
  `·${grouped(count)}·`,
];
