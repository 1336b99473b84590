/**
 * Marks of measurements on the lower and right edges of boxes, away from the signs of changes: a small "≠"
 * where values diverge; a ring and text where they first diverge or first have NaN; ▲ and ▼ while costs are
 * the colours. Pure.
 */

import { type Level, levelOf, textScale } from "../../canvas/detail_level";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import type { Above, Look } from "../../canvas/look";
import type { Place } from "../../canvas/op_boxes";
import type { Primitive } from "../../canvas/primitives";
import { font, fontSize } from "../../canvas/theme";
import { type Camera, type Size, visibleWorld } from "../../geometry/camera";
import { Kind } from "../../layout";
import { gain } from "../costs/cost_diff";
import type { PairPaint } from "../model/state";
import { secondsText } from "../values/number_text";
import { MARK, MEASUREMENT_LOOKS, type Measurement, measurementTextColor } from "../view/change_colors";
import { costly } from "./reading_colors";
import type { Reading, Readings } from "./readings";

/** A weaker colour gets no text. */
const WORTH = 0.1;

/** Draws the marks above other layers. */
export function withReadings(above: Above, readings: Readings, paint: PairPaint): Above {
  return (look, camera, screen) => {
    const { under, over } = above(look, camera, screen);
    return { under, over: [...over, ...marks(readings, paint, look, camera, screen)] };
  };
}

function marks(readings: Readings, paint: PairPaint, look: Look, camera: Camera, screen: Size): Primitive[] {
  const level = levelOf(camera.zoom);
  const out: Primitive[] = [];
  if (!readings.values && !readings.costs) return out;
  const { kind, item } = look.scene;
  for (const slot of slotsIn(look, visibleWorld(camera, screen), 1 / camera.zoom)) {
    if (kind[slot] === Kind.Open || look.stretches?.has(item[slot] ?? -1)) continue;
    const reading = readings.at(slot);
    const at = placeOf(look, slot, camera);
    const isLeaf = kind[slot] === Kind.Leaf;
    if (reading.firsts.length) ring(at, out);
    if (level === "shapes") {
      if (paint === "costs") edge(at, reading, readings.most(!isLeaf), out);
      continue;
    }
    const hasText = reading.firsts.length + reading.troubles.length > 0;
    if (hasText) markFirst(look, at, reading, out);
    else if (reading.diverged && paint !== "costs") mismatch(look, at, reading, isLeaf, out);
    const taken = hasText ? pillWidth(look, at, markText(reading)) : 0;
    if (paint === "costs") cost(look, at, reading, readings.most(!isLeaf), level, out, taken);
  }
  return out;
}

/** The mark when zoomed out. */
function ring({ x, y, width, height, zoom }: Place, out: Primitive[]): void {
  const gap = 2;
  const radius = 6 * Math.min(1, zoom) + gap;
  const box = { x: x - gap, y: y - gap, width: width + 2 * gap, height: height + 2 * gap, radius };
  out.push({ type: "box", ...box, line: MARK, lineWidth: 3 });
}

/** Text at the lower left. */
function markFirst(look: Look, at: Place, reading: Reading, out: Primitive[]): void {
  pill(look, at, markText(reading), { side: "left", fill: MARK, textColor: "#ffffff" }, out);
}

function markText({ firsts, troubles, diverged }: Reading): string {
  const own = troubles.filter((trouble) => !firsts.includes(`first ${trouble}`));
  return [...firsts, ...own, ...(diverged > 1 ? [`≠ ${diverged}`] : [])].join(" · ");
}

/** "≠" in the middle of the right edge; for a module how many values in it diverge, at its lower left. */
function mismatch(look: Look, at: Place, { diverged }: Reading, isLeaf: boolean, out: Primitive[]): void {
  if (isLeaf) disc(look, at, "≠", "apart", out);
  else pill(look, at, `≠ ${diverged}`, pillColors(look, "apart", "left"), out);
}

/**
 * "▲ 1.2 ms" at the lower right. Without room beside the `taken` width, only the sign in the middle of the
 * right edge.
 */
function cost(
  look: Look,
  at: Place,
  reading: Reading,
  most: number,
  level: Level,
  out: Primitive[],
  taken: number,
): void {
  const found = costly(reading, most);
  if (!found || !reading.cost || found.part < WORTH) return;
  const { sign } = MEASUREMENT_LOOKS[found.is];
  const text = `${sign} ${secondsText(Math.abs(gain(reading.cost)))}`;
  const hasRoom = level === "full" && (taken === 0 || taken + pillWidth(look, at, text) <= at.width);
  if (hasRoom) pill(look, at, text, pillColors(look, found.is, "right"), out);
  else disc(look, at, sign, found.is, out);
}

/** Without room for a sign: a line around a box that became slower, none around one that became faster. */
function edge({ x, y, width, height }: Place, reading: Reading, most: number, out: Primitive[]): void {
  const found = costly(reading, most);
  if (found?.is !== "slower" || found.part < WORTH) return;
  out.push({
    type: "box",
    x,
    y,
    width,
    height,
    radius: 0,
    line: MEASUREMENT_LOOKS.slower.color,
    lineWidth: 1.5,
  });
}

interface PillColors {
  readonly side: "left" | "right";
  readonly fill: string;
  readonly textColor: string;
  readonly line?: string;
}

const pillColors = ({ theme }: Look, of: Measurement, side: PillColors["side"]): PillColors => ({
  side,
  fill: theme.box,
  textColor: measurementTextColor(of, theme.isDark),
  line: MEASUREMENT_LOOKS[of].color,
});

function pillWidth({ width: measure }: Look, at: Place, text: string): number {
  const scale = textScale(at.zoom, fontSize("badge"));
  return measure(text, "badge") * scale + 10 * scale;
}

function pill(look: Look, at: Place, text: string, colors: PillColors, out: Primitive[]): void {
  const { theme } = look;
  const scale = textScale(at.zoom, fontSize("badge"));
  const width = pillWidth(look, at, text);
  const height = 15 * scale;
  const x = colors.side === "left" ? at.x : at.x + at.width - width;
  const y = at.y + at.height - Math.min(height * 0.45, 3 * at.zoom);
  const line = colors.line ?? theme.box;
  out.push({ type: "box", x, y, width, height, radius: height / 2, fill: colors.fill, line, lineWidth: 1 });
  out.push({
    type: "text",
    x: x + width / 2,
    y: y + height * 0.73,
    text,
    font: font(theme, "badge", scale),
    color: colors.textColor,
    align: "center",
  });
}

function disc(look: Look, at: Place, sign: string, of: Measurement, out: Primitive[]): void {
  const { theme } = look;
  const radius = Math.max(6, 6.5 * Math.min(1.2, at.zoom));
  const [x, y] = [at.x + at.width + radius * 0.4, at.y + at.height / 2];
  const { fill, textColor, line = fill } = pillColors(look, of, "right");
  const box = { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius, radius };
  out.push({ type: "box", ...box, fill, line, lineWidth: 1 });
  out.push({
    type: "text",
    x,
    y: y + radius * 0.53,
    text: sign,
    font: font(theme, "op", (radius * 1.55) / fontSize("op")),
    color: textColor,
    align: "center",
  });
}
