/** Showing a view that was written down: its graph, what is open and selected in it, its question, its camera. */
import { focusOf, itemsOf, type ViewState } from "../store";
import type { Explorer } from "./explorer";

/** What the program no longer has is left out. */
export async function show(explorer: Explorer, view: ViewState): Promise<void> {
  const { snapshot, store } = explorer;
  const graph = snapshot.graphs.find((each) => each.path === view.graph) ?? explorer.picture.graph;
  const picture = explorer.pictureOf(graph, view.folded);
  store.set({ selected: [], edge: undefined });
  await explorer.arrange(
    {
      picture,
      open: new Set(itemsOf(picture, view.open)),
      unrolled: new Set(itemsOf(picture, view.unrolled)),
    },
    { how: "camera", camera: view.camera },
  );
  store.set({
    selected: itemsOf(picture, view.selected),
    focus: focusOf(view),
    overlay: { ...explorer.state.overlay, name: view.overlay ?? "kind" },
    ...(view.tab && { tab: view.tab }),
  });
  if (view.query) await explorer.search.ask(view.query);
}
