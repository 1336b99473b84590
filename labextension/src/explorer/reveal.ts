/** Brings a node into view: which box shows it, and which groups must be open. */
import type { Picture } from "../picture";
import type { Explorer } from "./explorer";

/** The box that shows a node when all is open: its own, or that of the first op that uses it. */
export function boxShowing(picture: Picture, node: number): number {
  const own = picture.boxOf(node);
  if (own >= 0) return own;
  const { graph, position } = picture.snapshot.locate(node);
  for (const user of graph.usersOf(position)) {
    const box = picture.boxOf(graph.base + user);
    if (box >= 0) return box;
  }
  return -1;
}

/**
 * Opens the groups around a node, selects its box and brings it into view; shows another method's graph if
 * needed.
 */
export async function reveal(explorer: Explorer, node: number): Promise<void> {
  if (explorer.boxShowing(node) < 0) {
    const { snapshot } = explorer;
    const { graph } = snapshot.locate(node);
    const method = snapshot.methods[snapshot.methodOf(graph.number)];
    if (graph === explorer.picture.graph || !method) return;
    await explorer.showGraph(snapshot.graph(method.graph));
    if (explorer.boxShowing(node) < 0) return;
  }
  await revealItem(explorer, explorer.boxShowing(node));
}

export async function revealItem(explorer: Explorer, item: number): Promise<void> {
  explorer.history.remember();
  const { open, scene, stretches } = explorer.state;
  const stretch = stretches.get(scene.item[scene.slotOf[item] ?? -1] ?? -1);
  if (stretch) explorer.stretching?.release(stretch);
  const wanted = new Set([...open, ...explorer.picture.around(item)]);
  explorer.store.set({ selected: [item], edge: undefined });
  const isFolded = stretch !== undefined || (scene.members[scene.slotOf[item] ?? -1] ?? 1) > 1;
  if (wanted.size > open.size || isFolded) await explorer.arrange({ open: wanted }, { how: "reveal", item });
  else explorer.lookAt(item);
}
