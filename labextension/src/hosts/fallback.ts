/**
 * What a notebook shows where its kernel is gone. JupyterLab and Notebook prefer a widget to all else that an output
 * holds, and say "model not found" where there is none: then the picture and the text saved beside it are shown.
 */

/** Exactly what the kernel marks its fallback with, in `exir_viz/widget/static_preview.py`. */
const MARK = 'class="exirviz-fallback"';
const WIDGET = "application/vnd.jupyter.widget-view+json";
const HTML = "text/html";

export interface MimeModel {
  readonly data: Readonly<Record<string, unknown>>;
}

/** What is used of a renderer: the widget manager's is a Lumino panel. */
export interface Renderer {
  readonly node: HTMLElement;
  renderModel(model: MimeModel): Promise<void>;
  addWidget?(widget: Renderer): void;
}

interface Factory<Options> {
  readonly mimeTypes: readonly string[];
  readonly safe: boolean;
  createRenderer(options: Options): Renderer;
}

/** What is used of JupyterLab's `IRenderMimeRegistry`. */
export interface Rendermime<Options> {
  getFactory(mimeType: string): Factory<Options> | undefined;
  addFactory(factory: Factory<Options>, rank?: number): void;
  createRenderer(mimeType: string): Renderer;
  createModel(options: { data: Record<string, string>; trusted: boolean }): MimeModel;
}

/** Shows what a notebook saved of an explorer; loaded when there is such. */
type ShowFallback = (rendermime: Rendermime<never>, renderer: Renderer, model: MimeModel) => Promise<void>;

/** Where widgets are rendered in a notebook, ours show what was saved when they cannot live. */
export function showFallbacks<Options>(
  rendermime: Rendermime<Options>,
  show: () => Promise<ShowFallback>,
): void {
  const widgets = rendermime.getFactory(WIDGET);
  if (!widgets) return; // no widget manager: the notebook shows the fallback of its own accord
  const createRenderer = (options: Options): Renderer => {
    const renderer = widgets.createRenderer(options);
    const render = renderer.renderModel.bind(renderer);
    renderer.renderModel = async (model) => {
      await render(model);
      const html = model.data[HTML];
      const isOurs = typeof html === "string" && html.includes(MARK);
      if (!isOurs || !renderer.node.textContent?.startsWith("Error displaying widget")) return;
      await (await show())(rendermime, renderer, model);
    };
    return renderer;
  };
  rendermime.addFactory({ mimeTypes: [WIDGET], safe: widgets.safe, createRenderer }, -10);
}
