/** Finds the cell of a line in the open notebooks, and shows it. */
import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { WantedCell } from "../tab_events";

/** The parts of JupyterLab's notebook that are used; Jupyter Notebook 7 has the same. */
interface Notebook {
  readonly id: string;
  readonly node: HTMLElement;
  readonly content: {
    readonly widgets: readonly Cell[];
    activeCellIndex: number;
    scrollToCell(cell: Cell, align?: string): Promise<void>;
  };
}

interface Cell {
  readonly model: { readonly sharedModel: { getSource(): string } };
  readonly editor: { setSelection(range: { start: Position; end: Position }): void } | null;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Selects a line in its cell and scrolls to it; of several notebooks with the cell, in the explorer's. */
export async function showCell(
  shell: JupyterFrontEnd.IShell,
  { host, line, onMissing }: WantedCell,
): Promise<void> {
  const notebooks = ([...shell.widgets("main")] as unknown[]).filter(isNotebook);
  notebooks.sort((a, b) => Number(b.node.contains(host)) - Number(a.node.contains(host)));
  for (const { id, content } of notebooks) {
    const index = content.widgets.findIndex(({ model }) => hasLine(model.sharedModel.getSource(), line));
    const cell = content.widgets[index];
    if (!cell) continue;
    shell.activateById(id);
    content.activeCellIndex = index;
    await content.scrollToCell(cell, "center");
    const text = cell.model.sharedModel.getSource().split("\n")[line.line - 1] ?? "";
    const at = line.line - 1;
    cell.editor?.setSelection({ start: { line: at, column: 0 }, end: { line: at, column: text.length } });
    return;
  }
  onMissing();
}

const isNotebook = (widget: unknown): widget is Notebook => {
  const { content } = widget as { content?: Partial<Notebook["content"]> };
  return Array.isArray(content?.widgets) && typeof content.scrollToCell === "function";
};

/** What IPython runs for a line that begins with % or !. */
const MAGIC = "get_ipython().";

/** Whether all known lines of a cell are in this source; its other lines may have changed. */
function hasLine(source: string, { text }: WantedCell["line"]): boolean {
  const lines = source.split("\n");
  const isThere = ([number, known]: readonly [number, string]): boolean =>
    lines[number - 1]?.trim() === known.trim() || known.trimStart().startsWith(MAGIC);
  return text.size > 0 && [...text].every(isThere);
}
