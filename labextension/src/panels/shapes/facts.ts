/** Facts about a method for the shapes panel: distinct shapes by count, uses of symbols, run-time asserts. */
import { isSymbolic, parts } from "../../search";
import {
  byText,
  doesWork,
  evaluatePostfix,
  type Formula,
  type Graph,
  isAssert,
  NONE,
  type NodeValues,
  type PageShapes,
  type Snapshot,
  type Symbol as Sym,
  type SymbolValues,
  short,
  shortDtype,
} from "../../snapshot";

/** A tensor's dtype and shape, and how many nodes return one, alone or in a tuple. */
interface ShapeCount {
  readonly text: string;
  /** The search for it. */
  readonly query: string;
  readonly isSymbolic: boolean;
  readonly count: number;
}

/** A method's graph and its nested graphs. */
function graphsOf(snapshot: Snapshot, method: number): Graph[] {
  return snapshot.graphs.filter((graph) => snapshot.methodOf(graph.number) === method);
}

/** How many nodes have each value, by its number. */
function valueCounts(snapshot: Snapshot, method: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const graph of graphsOf(snapshot, method)) {
    for (const value of graph.columns.values) {
      if (value !== NONE) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

export function shapeCounts(snapshot: Snapshot, method: number): ShapeCount[] {
  const shapes = new Map<string, ShapeCount>();
  for (const [number, count] of valueCounts(snapshot, method)) {
    const tensors = parts(snapshot.skeleton.values[number]).filter((value) => value.kind === "tensor");
    const within = new Map(tensors.map((value) => [short(value), value]));
    for (const [text, value] of within) {
      const shape = value.shape.join("x") || "scalar";
      shapes.set(text, {
        text,
        query: `dtype:${shortDtype(value.dtype)} shape:${/[\s()]/.test(shape) ? `"${shape}"` : shape}`,
        isSymbolic: isSymbolic(value),
        count: (shapes.get(text)?.count ?? 0) + count,
      });
    }
  }
  return [...shapes.values()].sort((a, b) => b.count - a.count || byText(a.text, b.text));
}

/** By symbol: how many nodes have it in their shape or are computed from it. */
export function symbolCounts(snapshot: Snapshot, method: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [number, count] of valueCounts(snapshot, method)) {
    const names = parts(snapshot.skeleton.values[number]).flatMap((value) => {
      const texts = value.kind === "tensor" ? value.shape : value.kind === "symbol" ? [value.expr] : [];
      return texts.flatMap((text) => String(text).match(/[A-Za-z_]\w*/g) ?? []);
    });
    for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}

export function assertNodes(snapshot: Snapshot, method: number): number[] {
  return graphsOf(snapshot, method).flatMap((graph) =>
    Array.from({ length: graph.count }, (_, position) => position)
      .filter((position) => isAssert(graph.target(position)))
      .map((position) => graph.base + position),
  );
}

/** torch's infinities as text: "int_oo" is no bound. */
export const bound = (text: string | undefined): string =>
  text === undefined ? "?" : text.replace(/^-(int_oo|oo)$/, "−∞").replace(/^(int_oo|oo)$/, "∞");

/** A bound or a hint as a number; undefined if there is none. */
export const finite = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;

/** The sizes of the example inputs, where they are known. */
export function sizesOfExampleInputs(symbols: readonly Sym[]): SymbolValues {
  const known = symbols.flatMap(({ name, hint }) => {
    const size = finite(hint);
    return size === undefined ? [] : [[name, size] as const];
  });
  return new Map(known);
}

/** The first condition that sizes violate. */
export const violated = ({ conditions = [] }: PageShapes, sizes: SymbolValues): Formula | undefined =>
  conditions.find(({ postfix = "" }) => postfix !== "" && evaluatePostfix(postfix, sizes) === false);

/** The bytes of a method's inputs with its state, and of the results of its ops, as far as they are known. */
export function inputAndResultBytes(values: NodeValues, method: number): { inputs: number; results: number } {
  const { snapshot } = values;
  const bytes = { inputs: 0, results: 0 };
  for (const graph of graphsOf(snapshot, method)) {
    for (let position = 0; position < graph.count; position++) {
      const op = graph.op(position);
      const isInput = op === "placeholder" && graph.columns.parent === NONE;
      if (!isInput && !(graph.computes(position) && doesWork(graph.target(position)))) continue;
      bytes[isInput ? "inputs" : "results"] += values.bytes(graph.base + position) ?? 0;
    }
  }
  return bytes;
}
