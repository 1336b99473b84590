/** Facts about a method for the shapes panel: distinct shapes by count, run-time asserts. */
import { isSymbolic, parts } from "../../search";
import { byText, type Graph, isAssert, NONE, type Snapshot, short, shortDtype } from "../../snapshot";

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

export function shapeCounts(snapshot: Snapshot, method: number): ShapeCount[] {
  const counts = new Map<number, number>();
  for (const graph of graphsOf(snapshot, method)) {
    for (const value of graph.columns.values) {
      if (value !== NONE) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  const shapes = new Map<string, ShapeCount>();
  for (const [number, count] of counts) {
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
