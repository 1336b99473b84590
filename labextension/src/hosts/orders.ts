/** Commands from Python to an explorer: `explorer.open("model.layers.3")`, `.fit()`, `.search(…)`. */
import type { Explorer } from "../explorer";
import { itemsOfNodes, openItems } from "../explorer/select_nodes";
import type { Order } from "./messages";

/** Resolves when it is done: the next order builds on it. */
export async function execute(explorer: Explorer, order: Order): Promise<void> {
  switch (order.action) {
    case "open":
      if (order.depth !== null) return explorer.openTo(order.depth);
      if (order.paths.length || order.nodes.length) return open(explorer, order.paths, order.nodes);
      return explorer.openAll();
    case "close":
      return order.paths.length ? close(explorer, order.paths) : explorer.closeAll();
    case "fit":
      return explorer.fit();
    case "look": {
      const item = order.keys.map((key) => explorer.picture.itemAt(key)).find((each) => each !== undefined);
      return item === undefined ? undefined : explorer.lookAt(item);
    }
    case "search":
      return explorer.search.ask(order.query);
    case "color":
      return explorer.coloring.add(order.query, order.color ?? undefined);
    case "uncolor": {
      const removed = new Set(order.queries);
      return explorer.coloring.set(
        removed.size ? explorer.state.rules.filter(({ query }) => !removed.has(query)) : [],
      );
    }
    case "compare":
      explorer.stepping?.onCompare?.(order.stages);
  }
}

function open(explorer: Explorer, paths: readonly string[], ids: readonly string[]): Promise<void> {
  const nodes = ids.map((id) => explorer.snapshot.find(id)).filter((node) => node !== undefined);
  return openItems(explorer, [...itemsAt(explorer, paths), ...itemsOfNodes(explorer, nodes)]);
}

function close(explorer: Explorer, paths: readonly string[]): Promise<void> {
  const closed = new Set(itemsAt(explorer, paths));
  return explorer.arrange(
    { open: new Set([...explorer.state.open].filter((item) => !closed.has(item))) },
    { how: "fit" },
  );
}

/** Every call of the modules and every graph at these paths. */
function itemsAt(explorer: Explorer, paths: readonly string[]): number[] {
  const wanted = new Set(paths);
  const { picture, snapshot } = explorer;
  const items: number[] = [];
  for (let item = 0; item < picture.count; item++) {
    const path = snapshot.scopes[picture.scopeOf(item)]?.path ?? picture.graphOf(item)?.path;
    if (path !== undefined && wanted.has(path)) items.push(item);
  }
  return items;
}
