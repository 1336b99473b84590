/**
 * What a notebook shows without its kernel. JupyterLab and Notebook prefer a widget to everything else in an
 * output, and show "model not found" if there is none; this shows the saved picture and text instead.
 */

/** The exact mark of the kernel's fallback, in `exir_viz/widget/static_preview.py`. */
export const MARK = 'class="exirviz-fallback"';
const WIDGET = "application/vnd.jupyter.widget-view+json";
const HTML = "text/html";

interface MimeModel {
  readonly data: Readonly<Record<string, unknown>>;
}

/** The part of a renderer that is used: the widget manager's is a Lumino panel. */
interface Renderer {
  readonly node: HTMLElement;
  renderModel(model: MimeModel): Promise<void>;
  addWidget?(widget: Renderer): void;
}

interface Factory<Options> {
  readonly mimeTypes: readonly string[];
  readonly safe: boolean;
  createRenderer(options: Options): Renderer;
}

/** The part of JupyterLab's `IRenderMimeRegistry` that is used. */
export interface Rendermime<Options> {
  getFactory(mimeType: string): Factory<Options> | undefined;
  addFactory(factory: Factory<Options>, rank?: number): void;
  createRenderer(mimeType: string): Renderer;
  createModel(options: { data: Record<string, string>; trusted: boolean }): MimeModel;
}

/** Shows what a notebook saved of an explorer; loaded when needed. */
export type ShowFallback = (
  rendermime: Rendermime<never>,
  renderer: Renderer,
  model: MimeModel,
) => Promise<void>;

/** Shows the saved picture where widgets are rendered without a kernel. */
export function showFallbacks<Options>(
  rendermime: Rendermime<Options>,
  show: () => Promise<ShowFallback>,
): void {
  const widgets = rendermime.getFactory(WIDGET);
  if (!widgets) return; // no widget manager: the notebook shows the fallback anyway
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
