/**
 * Short text of values and shapes: the rules of `exir_viz/snapshot/describe.py`, tested with the same cases.
 */
import type { Dim, TensorValue, Value } from "./schema";
import { DTYPES, ITEM_BYTES } from "./tables";

const dims = (shape: readonly Dim[], between = ", "): string => shape.join(between);

export const shortDtype = (dtype: string): string => DTYPES[dtype] ?? dtype;

/** As torch writes it: "f32[16, 64]", with its device where that is not the CPU: "f32[16, 64]cuda:0". */
const tensorText = ({ dtype, shape, device = "cpu" }: TensorValue): string =>
  `${shortDtype(dtype)}[${dims(shape)}]${device === "cpu" ? "" : device}`;

/** One line: "f32[16, 64]", "Sym(u0)", "(f32[4], i64[])", "None", "–" if unknown. */
export function short(value: Value | undefined): string {
  if (!value) return "–";
  switch (value.kind) {
    case "tensor":
      return tensorText(value);
    case "symbol":
      return `Sym(${value.expr})`;
    case "literal":
      return value.type === "str" ? quoted(value.text) : value.text;
    case "sequence": {
      const inner = (value.items ?? []).map(short).join(", ");
      return value.type === "list" ? `[${inner}]` : `(${inner})`;
    }
    case "map":
      return `{${(value.keys ?? []).map((key, i) => `${key}: ${short(value.items?.[i])}`).join(", ")}}`;
    case "object":
      return `<${[value.role, value.cls || value.name].filter(Boolean).join(" ")}>`;
  }
}

/** A text as Python's `repr` writes it. */
function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return (
    mark +
    text.replace(UNPRINTABLE, (char) => (char === mark || char === "\\" ? `\\${char}` : escaped(char))) +
    mark
  );
}

/** Also both quotation marks and the backslash, which `quoted` escapes if needed. */
const UNPRINTABLE = /['"\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "'": "'", '"': '"' };

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const [lead, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return NAMED[char] ?? `\\${lead}${code.toString(16).padStart(digits, "0")}`;
}

/** Bytes of a value's elements; undefined if a size is symbolic or there is no tensor. */
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

/** The number of elements of a shape; undefined if a size is symbolic. */
export function elements(shape: readonly Dim[]): number | undefined {
  let count = 1;
  for (const dim of shape) {
    if (typeof dim === "string") return undefined;
    count *= dim;
  }
  return count;
}

/** The dtype of a value: its own, or the first one inside; "" if there is none. */
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

/** As `dtypeOf`, for the device. */
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

/**
 * The order of texts by their code units, the same everywhere. `localeCompare` would load the rules of a
 * language.
 */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
