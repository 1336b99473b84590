/** Selects nodes that a kernel or a panel names, and brings them into view together. */
import type { Explorer } from "./explorer";
import { nodesOf } from "./focus";

/** Opens the groups around all of them. The nodes of whole modules select the modules, open or not. */
export async function selectNodes(explorer: Explorer, nodes: readonly number[]): Promise<void> {
  const [first] = nodes;
  if (first === undefined) return explorer.select([]);
  const whole = nodes.length > 1 ? holderOf(explorer, nodes) : undefined;
  if (whole !== undefined) return explorer.revealItem(whole);
  // For a single node, or one of another method, its graph is shown first.
  if (nodes.length === 1 || explorer.boxShowing(first) < 0) await explorer.reveal(first);
  const items = wholesOf(explorer, nodes);
  if (items.length < 2) return;
  const { open } = explorer.state;
  const wanted = openAround(explorer, items);
  explorer.select(items);
  if (wanted.size > open.size) await explorer.arrange({ open: wanted }, { how: "fit" });
  explorer.fitSelection();
}

/** The items of nodes: for a node that holds graphs, their group. */
export function itemsOfNodes(explorer: Explorer, nodes: readonly number[]): number[] {
  const item = (node: number): number => {
    const own = explorer.picture.itemOf(node);
    return own >= 0 ? own : explorer.boxShowing(node);
  };
  return nodes.map(item).filter((each) => each >= 0);
}

/**
 * Opens the groups around items, and those items that are groups; brings them into view and selects nothing.
 */
export async function openItems(explorer: Explorer, items: readonly number[]): Promise<void> {
  const open = openAround(explorer, items);
  for (const item of items) if (explorer.picture.isGroup(item)) open.add(item);
  const [only, ...others] = items;
  if (only === undefined) return;
  await explorer.arrange({ open }, others.length ? { how: "fit" } : { how: "reveal", item: only });
}

/** Whether the selection shows exactly these nodes. */
export function isSelected(explorer: Explorer, nodes: readonly number[]): boolean {
  const now = new Set(explorer.selectedNodes());
  if (now.size === nodes.length && nodes.every((node) => now.has(node))) return true;
  const { selected } = explorer.state;
  const items = new Set(wholesOf(explorer, nodes));
  return items.size === selected.length && selected.every((item) => items.has(item));
}

/** The boxes of the nodes. Several nodes that are all of a group are replaced by the outermost such group. */
function wholesOf(explorer: Explorer, nodes: readonly number[]): number[] {
  const { picture } = explorer;
  const wanted = new Set(nodes);
  const known = new Map<number, boolean>();
  const isWhole = (group: number): boolean => {
    const cached = known.get(group);
    if (cached !== undefined) return cached;
    const inside = picture.leavesOf(group).length > wanted.size ? [] : nodesOf(picture, group);
    const is = inside.length > 1 && inside.every((node) => wanted.has(node));
    known.set(group, is);
    return is;
  };
  const items = nodes.map((node) => explorer.boxShowing(node)).filter((item) => item >= 0);
  return [...new Set(items.map((item) => picture.around(item).reverse().find(isWhole) ?? item))];
}

function openAround(explorer: Explorer, items: readonly number[]): Set<number> {
  const open = new Set(explorer.state.open);
  for (const item of items) for (const group of explorer.picture.around(item)) open.add(group);
  return open;
}

/** The innermost group with all of the nodes and no others. */
function holderOf({ picture }: Explorer, nodes: readonly number[]): number | undefined {
  const wanted = new Set(nodes);
  const [first] = nodes;
  const item = first === undefined ? -1 : picture.itemOf(first);
  if (item < 0) return undefined;
  return [item, ...picture.around(item)].find((group) => {
    if (!picture.isGroup(group) || picture.leavesOf(group).length > wanted.size) return false;
    const inside = nodesOf(picture, group);
    return inside.length === wanted.size && inside.every((node) => wanted.has(node));
  });
}
