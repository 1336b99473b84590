/** The shapes and bytes of nodes for sizes that the user tries; without any, as the program has them. */
import { short, valueBytes } from "./describe";
import { byteText } from "./format";
import { evaluatePostfix, type SymbolValues } from "./postfix";
import { type Dim, NONE, type Value } from "./schema";
import type { Snapshot } from "./snapshot";

/** By the text of a size that is no symbol alone: how it is evaluated. */
export type Formulas = ReadonlyMap<string, string>;

export class NodeValues {
  /** By number of a value: its value for the sizes. */
  private known = new Map<number, Value>();
  private dims = new Map<string, number | undefined>();
  private tried: SymbolValues | undefined;
  private formulas: Formulas = new Map();

  constructor(readonly snapshot: Snapshot) {}

  /** The sizes that are tried; undefined if none are. */
  get sizes(): SymbolValues | undefined {
    return this.tried;
  }

  /** Undefined: as the program has them. */
  try(sizes: SymbolValues | undefined, formulas: Formulas = new Map()): void {
    this.tried = sizes;
    this.formulas = formulas;
    this.known = new Map();
    this.dims = new Map();
  }

  value(node: number): Value | undefined {
    const { graph, position } = this.snapshot.locate(node);
    const number = graph.columns.values[position] ?? NONE;
    const value = this.snapshot.skeleton.values[number];
    if (!this.tried || !value) return value;
    const known = this.known.get(number) ?? this.evaluated(value);
    this.known.set(number, known);
    return known;
  }

  /** "f32[16, 64]"; "–" if unknown. */
  text(node: number): string {
    return this.tried ? short(this.value(node)) : this.snapshot.valueText(node);
  }

  bytes(node: number): number | undefined {
    return valueBytes(this.value(node));
  }

  byteText(node: number): string {
    return byteText(this.bytes(node));
  }

  /** A size as a number; itself if the tried sizes do not decide it. */
  dim(dim: Dim): Dim {
    if (typeof dim === "number" || !this.tried) return dim;
    if (!this.dims.has(dim)) {
      const found = evaluatePostfix(this.formulas.get(dim) ?? dim, this.tried);
      this.dims.set(dim, typeof found === "number" && Number.isInteger(found) ? found : undefined);
    }
    return this.dims.get(dim) ?? dim;
  }

  private evaluated(value: Value): Value {
    switch (value.kind) {
      case "tensor":
        return { ...value, shape: value.shape.map((dim) => this.dim(dim)) };
      case "symbol": {
        const size = this.dim(value.expr);
        return typeof size === "number" ? { kind: "literal", type: "int", text: String(size) } : value;
      }
      case "sequence":
      case "map":
        return { ...value, items: (value.items ?? []).map((item) => this.evaluated(item)) };
      default:
        return value;
    }
  }
}
