/** `unknown` → what forms ask about: the rows of operators and of inputs. What is no row is refused. */
import { UnreadableStages } from "./narrow";
import type { InputDim, OpRow } from "./schema";

export function asOpRows(raw: unknown): readonly OpRow[] {
  return rows(
    raw,
    "operators",
    ({ op, count }) => typeof op === "string" && typeof count === "number",
  ) as unknown as OpRow[];
}

export function asInputDims(raw: unknown): readonly InputDim[] {
  return rows(raw, "inputs", ({ input, dim }) => {
    return typeof input === "string" && (dim === null || typeof dim === "number");
  }) as unknown as InputDim[];
}

function rows(
  raw: unknown,
  what: string,
  isRow: (row: Record<string, unknown>) => boolean,
): Record<string, unknown>[] {
  const isAll =
    Array.isArray(raw) && raw.every((each) => typeof each === "object" && each !== null && isRow(each));
  if (!isAll) throw new UnreadableStages(`The rows of ${what} are not as they should be.`);
  return raw;
}

/** What an operator is called for people: "aten.linear.default" → "linear", "aten.add.Tensor" → "add.Tensor". */
export const shortOp = (op: string): string => op.replace(/^aten\./, "").replace(/\.default$/, "");

/** What the table says of an operator. */
export function sayOp({ decomposes, in_core_table, core, implicit }: OpRow): string {
  if (implicit) return "vanishes in any case: functionalisation takes it apart";
  if (in_core_table) return "taken apart on the way to Core ATen";
  if (decomposes) return "can be taken apart, if it is ticked";
  return core ? "Core ATen; torch has no decomposition of it" : "torch has no decomposition of it";
}

/** Inputs of a re-export as the step takes them: by input, by position, the words of those that were changed. */
export function dimsOf(
  rows: readonly InputDim[],
  choices: readonly string[],
): Record<string, Record<string, string>> {
  const dims: Record<string, Record<string, string>> = {};
  rows.forEach(({ input, dim }, i) => {
    const words = choices[i]?.trim();
    if (!words) return;
    dims[input] = { ...dims[input], [String(dim ?? 0)]: words };
  });
  return dims;
}
