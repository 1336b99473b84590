/**
 * The notebook's host: an anywidget module. It carries what the kernel sends to the explorer and what the user does
 * back to the kernel; the cleanup it returns runs when the output is cleared or the cell is run again.
 */
import type { AnyModel, Render } from "@anywidget/types";
import type { Appearance } from "../canvas/theme";
import type { Explorer } from "../explorer";
import { asView } from "../store";
import { mountExplorer } from "./explorer";
import { Kernel } from "./kernel";
import { obey } from "./orders";

export type WidgetState = {
  title: string;
  height: number;
  appearance: Appearance;
  selection: string[];
  view: Record<string, unknown>;
};

/** Milliseconds after the last change before the kernel hears of it. */
const PAUSE = 250;

const render: Render<WidgetState> = ({ model, el }) => {
  const kernel = new Kernel(model);
  el.classList.add("exirviz-resizable");
  el.style.height = `${model.get("height")}px`;
  const view = asView(model.get("view"));
  const mounted = mountExplorer(
    el,
    {
      skeleton: () => kernel.ask("skeleton"),
      detail: async () => kernel.detail ?? (await kernel.ask("detail")),
      isDetailHere: () => kernel.detail !== undefined,
    },
    { title: model.get("title"), appearance: model.get("appearance"), ...(view && { view }) },
  );
  const resize = (): void => {
    el.style.height = `${model.get("height")}px`;
  };
  model.on("change:height", resize);
  let stop = (): void => undefined;
  mounted.ready.then(
    (explorer) => {
      kernel.onSeries = (read) => mounted.paint(read(explorer.snapshot));
      kernel.onOrder = (order) => obey(explorer, order);
      kernel.takeEarly();
      stop = follow(model, explorer);
    },
    () => undefined, // the mount says what is wrong
  );
  return () => {
    stop();
    model.off("change:height", resize);
    kernel.dispose();
    mounted.dispose();
    el.classList.remove("exirviz-resizable");
  };
};

/** Selection and view, both ways. What came from the kernel is not sent back to it. */
function follow(model: AnyModel<WidgetState>, explorer: Explorer): () => void {
  let timer = 0;
  let told = "";
  const tell = (): void => {
    const view = explorer.view();
    const selection = explorer.selectedNodes().map((node) => explorer.snapshot.id(node));
    const text = JSON.stringify([view, selection]);
    if (text === told) return;
    told = text;
    model.set("view", { ...view });
    model.set("selection", selection);
    model.save_changes();
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = Number(setTimeout(tell, PAUSE));
  };
  const select = (): void => {
    const wanted = model.get("selection");
    const nodes = wanted.map((id) => explorer.snapshot.find(id)).filter((node) => node !== undefined);
    const now = explorer.selectedNodes();
    if (nodes.length === now.length && nodes.every((node, i) => node === now[i])) return;
    const [first] = nodes;
    if (first === undefined) explorer.select([]);
    else if (nodes.length === 1) void explorer.reveal(first);
    else {
      void explorer.reveal(first).then(() => {
        explorer.select(nodes.map((node) => explorer.boxShowing(node)).filter((item) => item >= 0));
      });
    }
  };
  const look = (): void => {
    const view = asView(model.get("view"));
    if (view && JSON.stringify(view) !== JSON.stringify(explorer.view())) void explorer.show(view);
  };
  model.on("change:selection", select);
  model.on("change:view", look);
  const off = [explorer.store.subscribe(later), explorer.sight.subscribe(later)];
  if (model.get("selection").length) select();
  return () => {
    clearTimeout(timer);
    model.off("change:selection", select);
    model.off("change:view", look);
    for (const each of off) each();
  };
}

export default { render };
