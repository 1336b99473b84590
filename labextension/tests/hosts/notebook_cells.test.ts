// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { showCell } from "../../src/hosts/lab/notebook_cells";
import type { CellLine } from "../../src/ui/actions";

const MODEL = "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x + 1";

function notebook(id: string, ...sources: readonly string[]) {
  const selected = vi.fn();
  const widgets = sources.map((source) => ({
    model: { sharedModel: { getSource: () => source } },
    editor: { setSelection: selected },
  }));
  const content = { widgets, activeCellIndex: -1, scrollToCell: vi.fn(async () => undefined) };
  return { id, node: document.createElement("div"), content, selected };
}

function shell(...widgets: readonly unknown[]) {
  const activated: string[] = [];
  const all = { widgets: () => widgets, activateById: (id: string) => activated.push(id) };
  return { all: all as unknown as Parameters<typeof showCell>[0], activated };
}

const line = (...text: readonly [number, string][]): CellLine => ({ line: 4, text: new Map(text) });
const host = document.createElement("div");

test("scrolls to the cell with all known lines and selects the line", async () => {
  const book = notebook("book", "x = 1\ny = 2\nz = 3\nreturn x + 1", MODEL);
  const { all, activated } = shell({ id: "a text file", node: host }, book);
  const onMissing = vi.fn();
  await showCell(all, { host, line: line([4, "return x + 1"], [3, "  def forward(self, x):"]), onMissing });
  expect(book.content.activeCellIndex).toBe(1);
  expect(book.content.scrollToCell).toHaveBeenCalledWith(book.content.widgets[1], "center");
  expect(book.selected).toHaveBeenCalledWith({
    start: { line: 3, column: 0 },
    end: { line: 3, column: "        return x + 1".length },
  });
  expect(activated).toEqual(["book"]);
  expect(onMissing).not.toHaveBeenCalled();
});

test("of two notebooks with the cell, the explorer's is shown", async () => {
  const [other, own] = [notebook("other", MODEL), notebook("own", MODEL)];
  const inside = own.node.appendChild(document.createElement("div"));
  const { all, activated } = shell(other, own);
  await showCell(all, { host: inside, line: line([4, "return x + 1"]), onMissing: vi.fn() });
  expect(activated).toEqual(["own"]);
});

test("a cell with a magic is found, although Python ran another text", async () => {
  const book = notebook("book", MODEL.replace("import torch", "%load_ext exir_viz"));
  const wanted = line([4, "return x + 1"], [1, "get_ipython().run_line_magic('load_ext', 'exir_viz')"]);
  await showCell(shell(book).all, { host, line: wanted, onMissing: vi.fn() });
  expect(book.content.activeCellIndex).toBe(0);
});

test.each([
  ["was edited", line([4, "return x + 2"])],
  ["is not saved with the program", line()],
])("reports a cell whose text %s", async (_, wanted) => {
  const book = notebook("book", MODEL);
  const onMissing = vi.fn();
  await showCell(shell(book).all, { host, line: wanted, onMissing });
  expect(onMissing).toHaveBeenCalledOnce();
  expect(book.content.scrollToCell).not.toHaveBeenCalled();
});
