/**
 * Which backend runs what, as colours of boxes: those of delegated ops, and of closed modules by their share
 * of delegated ops.
 */
import { Kind, type Scene } from "../layout";
import { type Picture, runsOnCpu } from "../picture";
import { type DelegateCall, PALETTE, type Snapshot } from "../snapshot";
import { plural } from "../snapshot/format";
import { kindLegend, type Laid, type Overlay, type Swatch } from "./overlay";
import { countsBySlot } from "./slot_counts";

const CPU = "CPU";
const ALONE = "delegate of one op";
/** Opacities for delegates with odd and even numbers, so that neighbours differ. */
const PARTS = [0.3, 0.5] as const;
/** No color over that of a box: a module that the CPU runs. */
const NO_TINT: Laid = { color: "#ffffff", part: 0 };

/** The backends of a program, the colour of each, and the colour over the boxes of a delegate. */
export function delegateColors(snapshot: Snapshot) {
  const backends = [
    ...new Set(snapshot.graphs.flatMap(({ number }) => snapshot.delegateCall(number)?.backend ?? [])),
  ];
  const colorOf = (backend: string): string => PALETTE[backends.indexOf(backend) % PALETTE.length] ?? "";
  const laid = ({ backend, number }: DelegateCall): Laid => ({
    color: colorOf(backend),
    part: PARTS[number % 2] ?? 0.3,
  });
  return { backends, colorOf, laid };
}

/** Undefined if nothing is delegated. */
export function delegationOverlay(
  picture: Picture,
  scene: Scene,
  nodes: readonly number[],
): Overlay | undefined {
  const { snapshot } = picture;
  if (!snapshot.hasDelegates) return undefined;
  // A call whose delegate has no ops in the file represents them.
  const empty = new Map(
    snapshot.graphs
      .filter(({ columns, count }) => columns.delegate && count === 0)
      .map((graph) => [snapshot.holderOf(graph), graph.number]),
  );
  const runOf = (node: number): DelegateCall | undefined =>
    snapshot.delegateCall(empty.get(node) ?? snapshot.locate(node).graph.number);
  const isOp = (node: number): boolean => {
    const { graph, position } = snapshot.locate(node);
    return graph.computes(position);
  };
  const { small: alone } = runsOnCpu(snapshot);
  const isAlone = (node: number): boolean => alone.has(snapshot.locate(node).graph.number);
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const where = runOf(node)?.backend ?? CPU;
    if (node >= 0 && isOp(node)) counts.set(where, (counts.get(where) ?? 0) + 1);
  }
  const { backends, colorOf, laid } = delegateColors(snapshot);
  const swatches: Swatch[] = [...backends, CPU].map((title) => ({
    title,
    color: title === CPU ? "transparent" : colorOf(title),
    count: counts.get(title) ?? 0,
    ...(title !== CPU && { part: PARTS[0] }),
  }));
  const small = nodes.filter((node) => isOp(node) && runOf(node) && isAlone(node)).length;
  if (small > 0) swatches.push({ title: ALONE, color: "transparent", count: small, isDashed: true });
  const partsOf = countsBySlot(
    picture,
    scene,
    (node) => node >= 0 && isOp(node),
    (node) => runOf(node)?.backend || undefined,
  );
  return {
    title: "runs on",
    legend: { type: "categories", title: "runs on", swatches, also: kindLegend(snapshot, nodes) },
    color: (node) => {
      const run = runOf(node);
      return run && laid(run);
    },
    text: (node) => (isOp(node) ? (runOf(node)?.name ?? CPU) : undefined),
    box: (slot) => {
      if (scene.kind[slot] !== Kind.Closed) return undefined;
      const { counts: on, all } = partsOf(slot);
      if (picture.words.isAllOnCpu(scene.item[slot] ?? -1)) return NO_TINT;
      const [backend, most] = [...on].sort((a, b) => b[1] - a[1])[0] ?? [];
      return backend && most ? { color: colorOf(backend), part: (PARTS[0] * most) / all } : undefined;
    },
    boxText: (slot) => {
      const { counts: on, all } = partsOf(slot);
      if (all === 0) return undefined;
      const parts = [...on].map(([backend, count]) => `${backend} ${count}`);
      const rest = all - [...on.values()].reduce((sum, count) => sum + count, 0);
      if (rest) parts.push(`${CPU} ${rest}`);
      return `${parts.join(", ")} of ${plural(all, "op")}`;
    },
  };
}
