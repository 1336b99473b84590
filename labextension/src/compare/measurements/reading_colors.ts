/** Boxes coloured by measurements: how much values differ, what became faster or slower. Pure. */
import type { Paint } from "../../canvas/look";
import { mixed, type Theme } from "../../canvas/theme";
import { Kind, type Scene } from "../../layout";
import { HEAT_PARTS } from "../../overlay";
import type { PairPaint } from "../model/state";
import { MEASUREMENT_LOOKS } from "../view/change_colors";
import { apartOf, costly } from "./color_scale";
import type { Reading, Readings } from "./readings";

type Measured = Exclude<PairPaint, "changes">;

/** A box without a measurement or a difference has no colour. */
export const measurementPaint =
  (readings: Readings, scene: () => Scene, paint: Measured, theme: Theme): Paint =>
  (slot) =>
    colorOf(readings.at(slot), readings.most(scene().kind[slot] !== Kind.Leaf), paint, theme);

/** The same for a box that is drawn as a dot. */
export const measurementDot = (
  readings: Readings,
  item: number,
  isGroup: boolean,
  paint: Measured,
  theme: Theme,
) => colorOf(readings.of(item), readings.most(isGroup), paint, theme);

function colorOf(reading: Reading, most: number, paint: Measured, theme: Theme): string | undefined {
  if (paint === "costs") {
    const found = costly(reading, most);
    return found && tinted(MEASUREMENT_LOOKS[found.is].color, found.part, theme);
  }
  const part = apartOf(reading);
  return part === undefined ? undefined : tinted(MEASUREMENT_LOOKS.apart.color, part, theme);
}

function tinted(color: string, part: number, theme: Theme): string {
  const [least, most] = HEAT_PARTS;
  return mixed(color, theme.box, least + part * (most - least));
}
