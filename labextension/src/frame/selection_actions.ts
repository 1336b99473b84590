/** Actions for the selection in the toolbar and the command palette, except highlighting connections. */
import type { Explorer } from "../explorer";
import { nodesOf } from "../explorer";
import { framesOf, lineQuery, opName, usersFrame } from "../snapshot";
import type { Command } from "../ui/shortcuts";

interface SelectionAction {
  readonly tool: "find-line" | "color-selection" | "bookmark";
  /** Short text on its button, and the full text. */
  readonly word: string;
  readonly title: string;
  /** The command with the same effect, if there is one. */
  readonly command?: Command;
  readonly run: () => unknown;
}

/** Empty if nothing or an edge is selected. */
export function selectionActions(explorer: Explorer): SelectionAction[] {
  const { selected, edge, picture } = explorer.state;
  const [item] = selected;
  if (item === undefined || edge) return [];
  const query = colorQuery(explorer, item);
  const actions: (SelectionAction | false)[] = [
    !picture.isGroup(item) && {
      tool: "find-line",
      word: "Find line",
      title: "Find all nodes from the same line of source",
      run: () => findLine(explorer, item),
    },
    query !== undefined && {
      tool: "color-selection",
      word: "Color",
      title: `Color what matches ${query}`,
      run: () => explorer.coloring.add(query),
    },
    {
      tool: "bookmark",
      word: "Bookmark",
      title: "Bookmark this view",
      command: "bookmark",
      run: () => explorer.bookmark(),
    },
  ];
  return actions.filter((action) => action !== false);
}

/** The query for all calls of a box's op, or for all nodes in a module; undefined for other boxes. */
function colorQuery({ picture, snapshot }: Explorer, item: number): string | undefined {
  const path = snapshot.scopes[picture.scopeOf(item)]?.path;
  if (picture.isGroup(item)) return path ? `in:${path}` : undefined;
  const node = picture.nodeOf(item);
  if (node < 0) return undefined;
  const { graph, position } = snapshot.locate(node);
  return graph.op(position) === "call_function" ? `op:${opName(graph.target(position))}` : undefined;
}

async function findLine(explorer: Explorer, item: number): Promise<void> {
  const { snapshot, picture, store, search } = explorer;
  const [node = -1] = nodesOf(picture, item);
  const frames = framesOf(snapshot, await snapshot.detail(), node);
  const frame = frames[usersFrame(frames)];
  if (frame) await search.ask(lineQuery(frame));
  else store.set({ notice: "No source line recorded" });
}
