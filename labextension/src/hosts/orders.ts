/** What Python may ask of an explorer by message: `explorer.open("model.layers.3")`, `.fit()`, `.search(…)`. */
import type { Explorer } from "../explorer";

export type Order =
  | {
      readonly kind: "do";
      readonly action: "open";
      readonly paths: readonly string[];
      readonly depth: number | null;
    }
  | { readonly kind: "do"; readonly action: "close"; readonly paths: readonly string[] }
  | { readonly kind: "do"; readonly action: "fit" }
  | { readonly kind: "do"; readonly action: "search"; readonly query: string };

export function obey(explorer: Explorer, order: Order): void {
  switch (order.action) {
    case "open":
      if (order.depth !== null) void explorer.openTo(order.depth);
      else if (order.paths.length) void openPaths(explorer, order.paths);
      else void explorer.openAll();
      break;
    case "close":
      if (order.paths.length) void closePaths(explorer, order.paths);
      else void explorer.closeAll();
      break;
    case "fit":
      explorer.fit();
      break;
    case "search":
      void explorer.search.ask(order.query);
      break;
  }
}

/** Every call of the modules at these paths, and what is around them. */
function openPaths(explorer: Explorer, paths: readonly string[]): Promise<void> {
  const items = itemsAt(explorer, paths);
  const open = new Set([
    ...explorer.state.open,
    ...items,
    ...items.flatMap((item) => explorer.picture.around(item)),
  ]);
  return explorer.arrange({ open }, { how: "fit" });
}

function closePaths(explorer: Explorer, paths: readonly string[]): Promise<void> {
  const closed = new Set(itemsAt(explorer, paths));
  return explorer.arrange(
    { open: new Set([...explorer.state.open].filter((item) => !closed.has(item))) },
    { how: "fit" },
  );
}

function itemsAt(explorer: Explorer, paths: readonly string[]): number[] {
  const wanted = new Set(paths);
  const { picture, snapshot } = explorer;
  const items: number[] = [];
  for (let item = 0; item < picture.count; item++) {
    const scope = snapshot.scopes[picture.scopeOf(item)];
    if (scope && wanted.has(scope.path)) items.push(item);
  }
  return items;
}
