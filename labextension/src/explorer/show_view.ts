/** Restores a saved view: its graph, open groups, selection, query and camera. */
import type { Graph, Snapshot } from "../snapshot";
import { focusOf, itemsOf, type ViewState } from "../store";
import { cameraWithBoxes } from "./camera_follow";
import type { Explorer } from "./explorer";

/** What the program no longer has is skipped. */
export async function show(explorer: Explorer, view: ViewState): Promise<void> {
  const { store } = explorer;
  const { snapshot, stage } = (await explorer.stepping?.find(view.stage)) ?? {
    snapshot: explorer.snapshot,
    stage: explorer.state.stage,
  };
  const graph = snapshot.graphs.find((each) => each.path === view.graph) ?? sameGraph(explorer, snapshot);
  const picture = explorer.pictureOf(
    graph,
    { isFolded: view.folded, isByDelegate: view.delegates ?? false },
    snapshot,
  );
  store.set({ selected: [], edge: undefined, ...(graph !== explorer.picture.graph && { brush: undefined }) });
  await explorer.lay(
    {
      picture,
      open: new Set(itemsOf(picture, view.open)),
      unrolled: new Set(itemsOf(picture, view.unrolled)),
    },
    (scene) => ({
      camera: cameraWithBoxes(view.camera, scene, explorer.viewportStore.state.screen),
      more: { stage },
    }),
  );
  store.set({
    selected: itemsOf(picture, view.selected),
    focus: focusOf(view),
    overlay: { name: view.overlay ?? "kind", scale: view.scale ?? "linear" },
    isWeighted: view.weighted ?? false,
    ...(view.timeline && { isTimelineOpen: true }),
    ...(view.tab && { tab: view.tab }),
    ...(view.report && { report: view.report }),
  });
  await explorer.coloring.set(view.rules ?? []);
  if (view.query) await explorer.search.ask(view.query);
}

/** The corresponding graph in another stage; the first method's if none has that name. */
export function sameGraph({ picture }: Explorer, snapshot: Snapshot): Graph {
  const { path } = picture.graph;
  const found = snapshot.graphs.find((each) => each.path === path);
  return found ?? snapshot.graph(snapshot.methods[0]?.graph ?? 0);
}
