/** The explorer for panels: the selection in their terms, and the actions. */
import type { Explorer } from "../explorer";
import { nodesOf } from "../explorer";
import type { Stepping } from "../explorer/stepping";
import type { Scene } from "../layout";
import type { StageAccess } from "../panels/actions";
import { ItemKind, type Picture } from "../picture";
import { asCard, trace } from "../stages";
import type { State } from "../store";
import type { Actions, Selection } from "../ui/actions";

export function selectionOf({
  picture,
  selected,
  edge,
  scene,
}: Pick<State, "picture" | "selected" | "edge" | "scene">): Selection {
  if (edge) {
    const node = picture.nodeOf(edge.value);
    const { graph, position } = picture.snapshot.locate(Math.max(0, node));
    const users = Array.from(graph.usersOf(position), (user) => graph.base + user);
    const isThere = (user: number): boolean => isWithin(picture, scene, picture.boxOf(user), edge.target);
    return { kind: "edge", node, users: users.filter(isThere) };
  }
  const [item] = selected;
  if (item === undefined) return { kind: "nothing" };
  if (selected.length > 1)
    return { kind: "nodes", nodes: selected.flatMap((each) => nodesOf(picture, each)) };
  switch (picture.kindOf(item)) {
    case ItemKind.Module: {
      const equal = picture.equalSiblings(item).map((each) => picture.scopeOf(each));
      const similar = picture.similarSiblings(item).map((each) => picture.scopeOf(each));
      const scope = picture.scopeOf(item);
      return {
        kind: "module",
        graph: picture.graphAround(item).number,
        scope,
        ...(equal.length > 1 && { equal }),
        ...(similar.length > 0 && { similar }),
      };
    }
    case ItemKind.Ours: {
      const reason = picture.reasonOf(item) ?? "";
      return { kind: "group", title: picture.words.title(item), reason, nodes: nodesOf(picture, item) };
    }
    default: {
      const graph = picture.graphOf(item);
      return graph ? { kind: "graph", graph: graph.number } : { kind: "node", node: picture.nodeOf(item) };
    }
  }
}

/** Whether a leaf is an edge's target or inside it; the box of a run represents all of its modules. */
function isWithin(picture: Picture, scene: Scene, leaf: number, target: number): boolean {
  const slot = scene.slotOf[target] ?? -1;
  for (let at = leaf; at !== -1; at = picture.parentOf(at)) {
    if (at === target || (slot >= 0 && scene.slotOf[at] === slot)) return true;
  }
  return false;
}

export function actionsOf(explorer: Explorer): Actions {
  const boxes = (nodes: readonly number[]): number[] =>
    nodes.map((node) => explorer.boxShowing(node)).filter((item) => item >= 0);
  const show = (item: number | undefined): void => {
    if (item !== undefined && item >= 0) void explorer.revealItem(item);
  };
  return {
    select: (nodes) => explorer.select(boxes(nodes)),
    reveal: (node) => void explorer.reveal(node),
    revealModule: (graph, scope) =>
      show(explorer.picture.moduleItem(graph, scope) ?? explorer.picture.firstModule(scope)),
    revealGraph: (graph) => void revealGraph(explorer, graph).then(show),
    hover: (node) => explorer.store.set({ pointed: node === undefined ? -1 : explorer.boxShowing(node) }),
    search: (query) => void explorer.search.ask(query),
    get showCell() {
      return explorer.showCell;
    },
    // Without a clipboard, as without https, this fails like a refusal.
    copy: async (text) => navigator.clipboard.writeText(text),
  };
}

/** The box of a graph; a delegate has one only in the view by delegate, which is chosen then. */
async function revealGraph(explorer: Explorer, graph: number): Promise<number | undefined> {
  const isDelegate = explorer.snapshot.graph(graph).columns.delegate !== undefined;
  if (isDelegate && !explorer.picture.isByDelegate) await explorer.setByDelegate(true);
  return explorer.picture.graphItem(graph);
}

/** The stages for the lineage, seen from the one that is shown; undefined if there are none. */
export function stageAccessOf(stepping: Stepping | undefined, stage: string): StageAccess | undefined {
  if (!stepping?.stages.record(stage)) return undefined;
  const { stages } = stepping;
  const { actions } = stages.source;
  return {
    explain:
      typeof actions === "string"
        ? actions
        : async (op) => asCard(await actions.explain(stages.shown(stage).id, op)),
    trace: (node) => trace(stages, stages.shown(stage).id, node),
    go: (to, node) => void stepping.reveal(to, node),
  };
}
