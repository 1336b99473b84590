/**
 * What boxes can be coloured by, and their colours by measurements: how much values differ, what became faster
 * or slower. Pure.
 */
import type { Paint } from "../../canvas/look";
import { mixed, type Theme } from "../../canvas/theme";
import { Kind, type Scene } from "../../layout";
import { HEAT_PARTS } from "../../overlay";
import { gain } from "../costs/cost_diff";
import type { PairPaint } from "../model/state";
import { distance } from "../values/value_diff";
import { MEASUREMENT_LOOKS } from "../view/change_colors";
import type { MeasuringState } from "./measurement_runs";
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

/** Relative differences, from rounding to entirely different values. */
export const RANGE = { least: 1e-8, most: 1 } as const;

/** By order of magnitude; undefined if nothing differs. */
export function apartness(relative: number): number | undefined {
  if (relative === 0) return undefined;
  const { least, most } = RANGE;
  return within(Math.log(relative / least) / Math.log(most / least));
}

/** Undefined if no value was compared, or all are equal. */
const apartOf = ({ worst }: Reading): number | undefined => worst && apartness(distance(worst));

interface Costly {
  readonly part: number;
  readonly is: "slower" | "faster";
}

/** By the square root, so that small changes are visible; undefined if the cost is equal or within noise. */
export function costly({ cost }: Reading, most: number): Costly | undefined {
  const more = cost && !cost.noise ? gain(cost) : 0;
  if (more === 0 || most === 0) return undefined;
  return { part: within(Math.sqrt(Math.abs(more) / most)), is: more > 0 ? "slower" : "faster" };
}

const within = (part: number): number => Math.min(1, Math.max(0, part));

type Known = Partial<Pick<MeasuringState, "values" | "costs">>;

export const paintsOf = ({ values, costs }: Known): readonly PairPaint[] => [
  "changes",
  ...(values ? (["values"] as const) : []),
  ...(costs ? (["costs"] as const) : []),
];

/** The wanted colour mode if it was measured, else changes. */
export const paintAs = (wanted: PairPaint, known: Known): PairPaint =>
  paintsOf(known).includes(wanted) ? wanted : "changes";

export function nextPaint(wanted: PairPaint, known: Known): PairPaint {
  const paints = paintsOf(known);
  return paints[(paints.indexOf(paintAs(wanted, known)) + 1) % paints.length] ?? "changes";
}
