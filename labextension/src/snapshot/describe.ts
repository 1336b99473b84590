/** Short text of values and sizes, said as `exir_viz/snapshot/describe.py` says it. */
import type { Dim, Value } from "./schema";
import { DTYPES, ITEM_BYTES } from "./tables";

export const dims = (shape: readonly Dim[], between = ", "): string => shape.join(between);

export const shortDtype = (dtype: string): string => DTYPES[dtype] ?? dtype;

/** One line: "f32[16, 64]", "Sym(u0)", "(f32[4], i64[])", "None", "–" where nothing is known. */
export function short(value: Value | undefined): string {
  if (!value) return "–";
  switch (value.kind) {
    case "tensor":
      return `${shortDtype(value.dtype)}[${dims(value.shape)}]`;
    case "symbol":
      return `Sym(${value.expr})`;
    case "literal":
      return value.type === "str" ? `'${value.text}'` : value.text;
    case "sequence": {
      const inner = (value.items ?? []).map(short).join(", ");
      return value.type === "list" ? `[${inner}]` : `(${inner})`;
    }
    case "map":
      return `{${(value.keys ?? []).map((key, i) => `${key}: ${short(value.items?.[i])}`).join(", ")}}`;
    case "object":
      return `<${value.role} ${value.cls || value.name || ""}>`;
  }
}

/** Bytes of a value's elements; undefined where a size is symbolic or there is no tensor. */
export function valueBytes(value: Value | undefined): number | undefined {
  if (value?.kind === "sequence") {
    let sum = 0;
    for (const item of value.items ?? []) {
      const bytes = valueBytes(item);
      if (bytes === undefined) return undefined;
      sum += bytes;
    }
    return sum;
  }
  if (value?.kind !== "tensor") return undefined;
  const item = value.dtype.startsWith("float8_") ? 1 : ITEM_BYTES[value.dtype];
  const count = elements(value.shape);
  return item === undefined || count === undefined ? undefined : item * count;
}

/** How many elements a shape has; undefined where a size is symbolic. */
export function elements(shape: readonly Dim[]): number | undefined {
  let count = 1;
  for (const dim of shape) {
    if (typeof dim === "string") return undefined;
    count *= dim;
  }
  return count;
}

/** Bytes for people: "4 KB" of 1024. */
export function byteText(count: number | undefined): string {
  if (count === undefined) return "–";
  return scaled(count, 1024, ["B", "KB", "MB", "GB", "TB"], " ");
}

/** Counts for people: "4.1 M" of 1000; below ten thousand in full. */
export function countText(count: number): string {
  return count < 10_000 ? grouped(count) : scaled(count, 1000, ["", "k", "M", "G", "T"], " ");
}

/** "3,912". `toLocaleString` says the same a hundred times slower, and a picture says it of every module. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

function scaled(count: number, step: number, units: readonly string[], gap: string): string {
  let amount = count;
  let unit = 0;
  while (amount >= step && unit < units.length - 1) {
    amount /= step;
    unit++;
  }
  const digits = unit === 0 || amount >= 100 ? amount.toFixed(0) : String(Number(amount.toPrecision(3)));
  return `${digits}${units[unit] ? gap + units[unit] : ""}`;
}

/** The dtype that a value is said to have: its own, or the first one within; "" where there is none. */
export function dtypeOf(value: Value | undefined): string {
  if (value?.kind === "tensor") return value.dtype;
  if (value?.kind === "sequence" || value?.kind === "map") {
    for (const item of value.items ?? []) {
      const found = dtypeOf(item);
      if (found) return found;
    }
  }
  return "";
}

/** As `dtypeOf`, of the device. */
export function deviceOf(value: Value | undefined): string {
  if (value?.kind === "tensor") return value.device ?? "cpu";
  if (value?.kind === "sequence" || value?.kind === "map") {
    for (const item of value.items ?? []) {
      const found = deviceOf(item);
      if (found) return found;
    }
  }
  return "";
}

/** The order of texts by their characters, the same everywhere. `localeCompare` loads a language's rules for it. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
