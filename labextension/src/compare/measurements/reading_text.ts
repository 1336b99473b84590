/** Measurements of a box as text, for users who cannot see its colour. Pure. */
import { grouped } from "../../snapshot";
import { basisOf, type Cost } from "../costs/cost_diff";
import { apartText, costText, ratioText, snrText } from "../values/number_text";
import type { Reading } from "./readings";

/** "≠ 0.02 apart, 3.2 dB; 5 ms → 1 ms ×0.2"; empty if nothing was measured. */
export function readingWords(reading: Reading, isGroup: boolean): string {
  const { cost, firsts } = reading;
  const costs = cost && cost.before !== cost.after ? changeWords(cost) : "";
  return [firsts.join(", "), isGroup ? manyWords(reading) : oneWords(reading), costs]
    .filter(Boolean)
    .join("; ");
}

function changeWords(cost: Cost): string {
  const notes = [cost.noise ? "within noise" : "", basisOf(cost)].filter(Boolean);
  return [`${costText(cost)} ${ratioText(cost)}`, ...notes].join(", ");
}

function oneWords({ worst }: Reading): string {
  if (!worst) return "";
  const { numbers } = worst;
  const apart = apartText(numbers);
  if (apart === "equal") return "values equal";
  const snr = numbers.snr === undefined ? "" : `, ${snrText(numbers)}`;
  return `${numbers.diverged ? "≠ " : "within tolerance: "}${numbers.unlike ? apart : `${apart} apart`}${snr}`;
}

function manyWords({ compared, diverged, worst }: Reading): string {
  if (!compared || !worst) return "";
  const values = `${grouped(compared)} ${compared === 1 ? "value" : "values"}`;
  return diverged
    ? `≠ ${grouped(diverged)} of ${values} diverge; largest difference: ${apartText(worst.numbers)}`
    : `${values} within tolerance`;
}
