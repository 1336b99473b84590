/**
 * Numbers as text, the same everywhere: counts, bytes, times, shares, ratios, rates of computation, amounts. The same
 * functions as in `exir_viz/snapshot/format.py`; the tests of both sides read `tests/cases/format.json`.
 */

const UNKNOWN = "–";
const COUNTS = ["", "k", "M", "B", "T"];
const BYTES = {
  KB: ["B", "KB", "MB", "GB", "TB"],
  KiB: ["B", "KiB", "MiB", "GiB", "TiB"],
};
/** How 1,024 bytes are written: "KB" as torch does, or "KiB" as standards do. */
export type ByteUnit = keyof typeof BYTES;
let byteUnit: ByteUnit = "KB";
const TIMES = ["ns", "µs", "ms", "s"];
const FLOPS = ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"];

/** "3,912". `toLocaleString` is a hundred times slower, and pictures format a number for every module. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** A count with its noun: "1 call", "3,912 nodes", "2 matches". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** A count for narrow places: "3,912", "12.8 k", "4.1 M", "1.24 B". */
export const countText = (count: number): string =>
  count < 10_000 ? grouped(count) : scaled(count, 1000, COUNTS);

/** A duration in nanoseconds: "1.25 ms", "340 µs". */
export function timeText(nanoseconds: number | undefined): string {
  if (nanoseconds === undefined) return UNKNOWN;
  return nanoseconds === 0 ? "0 s" : scaled(nanoseconds, 1000, TIMES);
}

/** A duration in seconds. */
export const secondsText = (seconds: number): string => timeText(Math.round(seconds * 1e9));

/** Of all sizes that are written from now on: a setting of the user. */
export const writeBytesIn = (unit: ByteUnit): void => {
  byteUnit = unit;
};

/** A size: "4 KB" is 4 × 1024 bytes. */
export const byteText = (count: number | undefined): string =>
  count === undefined ? UNKNOWN : scaled(count, 1024, BYTES[byteUnit]);

/** A number of floating-point operations: "840 FLOP", "131 kFLOP"; with "/s" a rate. */
export const flopText = (count: number): string => scaled(count, 1000, FLOPS);

/** A part of a whole: "12.3%", "<0.1%"; "0%" and "100%" only if exact. */
export function shareText(share: number | undefined): string {
  if (share === undefined) return UNKNOWN;
  if (share < 0) return `−${shareText(-share)}`;
  if (share === 0) return "0%";
  if (Math.abs(share - 1) <= 1e-6) return "100%";
  if (share < 0.001) return "<0.1%";
  const percent = Number((100 * share).toFixed(1));
  return `${(share > 1 ? percent : Math.min(percent, 99.9)).toFixed(1)}%`;
}

/** A part of a count in whole percent; 0 and 100 only if exact. */
export function percent(count: number, whole: number): number {
  if (count === 0 || count === whole) return count ? 100 : 0;
  return Math.min(99, Math.max(1, Math.floor((100 * count) / whole + 0.5)));
}

/** A ratio: "×1.04", "×0.96", "×23.5"; equally precise on either side of 1. */
export const ratioText = (ratio: number): string =>
  ratio > 0 && ratio < 0.001 ? "<×0.001" : `×${significant(ratio, ratio < 1 ? 2 : 3)}`;

/** A number of any magnitude: "0", "2.4e-7", "0.0031", "12.5". */
export function amountText(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return UNKNOWN;
  if (!Number.isFinite(amount)) return Number.isNaN(amount) ? "nan" : amount > 0 ? "inf" : "-inf";
  if (amount < 0) return `−${amountText(-amount)}`;
  if (amount === 0) return "0";
  if (amount >= 1e-3 && amount < 1e5) return significant(amount, 3);
  return amount.toExponential(1).replace(".0e", "e").replace("e+", "e");
}

/** A signal-to-noise ratio: "121 dB", "7.3 dB". */
export function decibelText(decibels: number | undefined): string {
  if (decibels === undefined) return UNKNOWN;
  return decibels < 0 ? `−${decibelText(-decibels)}` : `${decibels.toFixed(decibels < 10 ? 1 : 0)} dB`;
}

/** In the first unit in which it is less than the next one after rounding: 999,999 ns are "1 ms". */
function scaled(amount: number, step: number, units: readonly string[]): string {
  if (amount < 0) return `−${scaled(-amount, step, units)}`;
  let rest = amount;
  let unit = 0;
  while (unit < units.length - 1 && rounded(rest, 3) >= step) {
    rest /= step;
    unit++;
  }
  const suffix = units[unit];
  return `${plain(rounded(rest, 3))}${suffix ? ` ${suffix}` : ""}`;
}

const significant = (amount: number, digits: number): string => plain(rounded(amount, digits));

const rounded = (amount: number, digits: number): number =>
  Number(amount >= 10 ** digits ? amount.toFixed(0) : amount.toPrecision(digits));

const plain = (amount: number): string => (amount < 1000 ? String(amount) : grouped(Math.round(amount)));
