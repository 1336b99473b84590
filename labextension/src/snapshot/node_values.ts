/** The shapes and bytes of nodes for sizes that the user tries; without any, as the program has them. */
import { short, valueBytes } from "./describe";
import { byteText } from "./format";
import { evaluatePostfix, type SymbolValues } from "./postfix";
import { type Dim, NONE, type Value } from "./schema";
import type { Snapshot } from "./snapshot";

export class NodeValues {
  /** By number of a value: its value for the sizes. */
  private known = new Map<number, Value>();
  private dims = new Map<string, number | undefined>();
  private tried: SymbolValues | undefined;
  private readonly formulas: ReadonlyMap<string, string>;

  constructor(readonly snapshot: Snapshot) {
    const shapes = snapshot.skeleton.page?.shapes ?? [];
    this.formulas = new Map(
      shapes.flatMap(({ sizes = [] }) => sizes.map(({ expr, postfix = "" }) => [expr, postfix] as const)),
    );
  }

  /** The sizes that are tried; undefined if none are. */
  get sizes(): SymbolValues | undefined {
    return this.tried;
  }

  set sizes(sizes: SymbolValues | undefined) {
    if (sizes === this.tried) return;
    this.tried = sizes;
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
      const postfix = this.formulas.get(dim);
      const found = postfix ? evaluatePostfix(postfix, this.tried) : undefined;
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
