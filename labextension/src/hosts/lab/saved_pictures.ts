/**
 * Notebooks are saved with the picture of each explorer as the user last saw it. In the file, it replaces the
 * picture that Python drew when the cell ran. The open notebook stays as it is: a change would draw the cell again.
 */
import type { TranslationBundle } from "@jupyterlab/translation";
import { MARK } from "../fallback";
import { ENDED, onTabEvent, type ShownExplorer } from "../tab_events";

/** The parts of JupyterLab's notebook that are used; Jupyter Notebook 7 has the same. */
export interface NotebookPanel {
  readonly content: { readonly widgets: readonly Cell[] };
  readonly context: { readonly model: NotebookModel };
}

interface Cell {
  readonly node: HTMLElement;
  /** Only of code cells. */
  readonly outputArea?: { readonly widgets: readonly { readonly node: HTMLElement }[] };
}

export interface NotebookModel {
  toJSON(): NotebookContent;
}

interface NotebookContent {
  readonly cells: readonly { readonly outputs?: readonly Output[] }[];
}

interface Output {
  readonly data?: Readonly<Record<string, unknown>>;
}

const HTML = "text/html";
/** Characters of SVG. A larger picture would make the notebook slow to load; Python's is small. */
const MOST = 500_000;

export class SavedPictures {
  private readonly shown = new Map<HTMLElement, ShownExplorer>();

  constructor(
    document: Document,
    private readonly trans: TranslationBundle,
  ) {
    onTabEvent<ShownExplorer>(document, ENDED, ({ host }) => this.shown.delete(host));
  }

  add(explorer: ShownExplorer): void {
    this.shown.set(explorer.host, explorer);
  }

  /** Adds the pictures whenever this notebook is written. */
  saveIn({ content, context: { model } }: NotebookPanel): void {
    const written = model.toJSON.bind(model);
    model.toJSON = () =>
      [...this.shown.values()].reduce((saved, each) => this.with(each, saved, content), written());
  }

  /** The notebook with the picture of one explorer, if it is in one of its outputs. */
  private with(
    { host, picture }: ShownExplorer,
    saved: NotebookContent,
    { widgets }: NotebookPanel["content"],
  ): NotebookContent {
    const cell = widgets.findIndex(({ node }) => node.contains(host));
    const output = widgets[cell]?.outputArea?.widgets.findIndex(({ node }) => node.contains(host)) ?? -1;
    const html = saved.cells[cell]?.outputs?.[output]?.data?.[HTML];
    if (typeof html !== "string" || !html.includes(MARK)) return saved;
    const svg = picture();
    if (!svg || svg.length > MOST) return saved;
    const replaced = this.withPicture(html, svg);
    const cells = replacedAt(saved.cells, cell, (each) => ({
      ...each,
      outputs: replacedAt(each.outputs ?? [], output, (one) => ({
        ...one,
        data: { ...one.data, [HTML]: replaced },
      })),
    }));
    return { ...saved, cells };
  }

  /** In place of Python's picture, or where it would be: without Graphviz there is none. */
  private withPicture(html: string, svg: string): string {
    const page = new DOMParser().parseFromString(html, HTML);
    const image = page.createElement("img");
    image.alt = this.trans.__("The graph");
    image.src = `data:image/svg+xml;base64,${base64(svg)}`; // an image: its text never becomes markup
    const caption = page.createElement("figcaption");
    caption.textContent = this.trans.__(
      "The view when the notebook was saved. Below it, the program when the cell ran. Run the cell again for the explorer.",
    );
    const figure = page.createElement("figure");
    figure.append(image, caption);
    const place = page.querySelector(`[${MARK}]`);
    place?.querySelector("figure")?.remove();
    place?.prepend(figure);
    return place?.outerHTML ?? html;
  }
}

let pictures: SavedPictures | undefined;
const known = new WeakSet<object>();

/** From now on, saves the picture of this explorer in the notebooks among the widgets that are open. */
export function savePictures(
  explorer: ShownExplorer,
  widgets: Iterable<unknown>,
  trans: TranslationBundle,
): void {
  pictures ??= new SavedPictures(explorer.host.ownerDocument, trans);
  pictures.add(explorer);
  for (const widget of widgets) {
    if (!isNotebook(widget) || known.has(widget)) continue;
    known.add(widget);
    pictures.saveIn(widget);
  }
}

const isNotebook = (widget: unknown): widget is NotebookPanel =>
  Array.isArray((widget as Partial<NotebookPanel>).content?.widgets) &&
  "toJSON" in ((widget as Partial<NotebookPanel>).context?.model ?? {});

function replacedAt<T>(items: readonly T[], at: number, by: (item: T) => T): T[] {
  return items.map((item, i) => (i === at ? by(item) : item));
}

const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
