/** Numbers of values and costs as text. */
import { amountText, decibelText, grouped, secondsText, ratioText as timesText } from "../../snapshot";
import type { Cost } from "../costs/cost_diff";
import type { Side } from "../model/changes";
import type { Health, Numbers } from "./schema";

export { amountText, secondsText };

/** "0.9998", with enough digits that a value below 1 is not shown as 1. */
export function cosineText(cosine: number | undefined): string {
  const left = cosine === undefined ? 0 : 1 - Math.abs(cosine);
  if (cosine === undefined || left <= 0 || left >= 0.1) return amountText(cosine);
  const sign = cosine < 0 ? "−" : "";
  const digits = Math.ceil(-Math.log10(left));
  return digits > MOST_DIGITS
    ? `${sign}(1 − ${amountText(left)})`
    : `${sign}${Math.abs(cosine).toFixed(digits)}`;
}

const MOST_DIGITS = 9;

/** "121 dB"; "equal" if nothing differs. */
export function snrText({ snr, max_abs = 0, unlike = 0 }: Numbers): string {
  if (snr !== undefined) return decibelText(snr);
  return max_abs === 0 && unlike === 0 ? "equal" : "–";
}

/** A short text for the difference: "equal", "2.4e-7", "NaN or Inf on one side". */
export function apartText({ unlike, max_abs, diverged }: Numbers): string {
  if (unlike) return "NaN or Inf on one side";
  if (max_abs) return amountText(max_abs);
  return diverged ? "different" : "equal";
}

/** The largest difference as a share: "0.02", "0" if equal, "–" if no two numbers can be compared. */
export const relativeText = ({ relative, max_abs = 0 }: Numbers): string =>
  amountText(relative ?? (max_abs === 0 ? 0 : undefined));

/** The title of a side, if the two titles differ. */
export const ofText = (side: Side, a: string, b: string): string =>
  a === b ? (side === 0 ? "before" : "after") : `of ${side === 0 ? a : b}`;

/** "3 NaN, 1 infinite"; empty if all is finite. */
export function healthText({ nan = 0, inf = 0 }: Health = {}): string {
  return [nan && `${grouped(nan)} NaN`, inf && `${grouped(inf)} infinite`].filter(Boolean).join(", ");
}

/** "1.2 ms → 0.4 ms". */
export const costText = ({ before, after }: Cost): string => `${secondsText(before)} → ${secondsText(after)}`;

/** The time outside nodes, if the nodes together take less than the whole. */
export const restText = (seconds: number): string =>
  seconds < 0 ? `none (alone the nodes take ${secondsText(-seconds)} more)` : secondsText(seconds);

/** "×0.33"; "new" and "removed" if one side took no time. */
export function ratioText({ before, after, ratio }: Cost): string {
  if (ratio === undefined) return before === 0 && after > 0 ? "new" : "";
  return after === 0 ? "removed" : timesText(ratio);
}
