/**
 * The notebook's host: an anywidget module. It carries what the kernel sends to the explorer and knows nothing of
 * what it means; the cleanup it returns runs when the output is cleared or the cell is run again.
 */
import type { AnyModel, Render } from "@anywidget/types";
import { type ExplorerContent, mountExplorer } from "./explorer";

type WidgetState = { title: string; text: string };

const contentOf = (model: AnyModel<WidgetState>): ExplorerContent => ({
  title: model.get("title"),
  text: model.get("text"),
});

const render: Render<WidgetState> = ({ model, el }) => {
  const explorer = mountExplorer(el, contentOf(model));
  const refresh = (): void => explorer.show(contentOf(model));
  model.on("change:title", refresh);
  model.on("change:text", refresh);
  return () => {
    model.off("change:title", refresh);
    model.off("change:text", refresh);
    explorer.dispose();
  };
};

export default { render };
