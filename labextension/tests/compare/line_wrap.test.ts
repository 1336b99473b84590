/**
 * Lines of a program's text in few columns: nothing is cut off, marks are kept, rows have the height of all
 * lines.
 */
import { expect, test } from "vitest";
import { HANG, type Wrapped, wrapped } from "../../src/compare/view/line_wrap";
import { fitOf, LINE, setRow } from "../../src/compare/view/text_layout";

const CODE =
  '        mul: "f32[4, 16]" = torch.ops.aten.mul.Tensor(x, 2);  x = None  # \u4e2d\u6587 \u{1f600}\u{1f600}';

const textOf = ({ lines }: Wrapped): string =>
  lines.map((spans) => spans.map(({ text }) => text).join("")).join("");

const columnsOf = (spans: Wrapped["lines"][number]): number =>
  [
    ...spans
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  ].reduce((sum, point) => sum + ((point.codePointAt(0) ?? 0) < 0x250 ? 1 : 2), 0);

test("at any width all of a line is shown and no line is longer", () => {
  for (let columns = 12; columns < 100; columns++) {
    const set = wrapped({ line: 1, text: CODE }, columns);
    expect(textOf(set)).toBe(CODE.trimStart());
    for (const [i, spans] of set.lines.entries()) {
      expect(set.indent + (i > 0 ? HANG : 0) + columnsOf(spans)).toBeLessThanOrEqual(columns);
    }
  }
});

test("a line is broken between words, and the next does not begin with a space", () => {
  const { lines } = wrapped({ line: 1, text: CODE }, 40);
  const first = lines.map((spans) => spans[0]?.text.charAt(0));
  expect(first).not.toContain(" ");
  expect(lines[0]?.map(({ text }) => text).join("")).toMatch(/[ .(]$/);
});

test("a mark continues across the end of a line", () => {
  const from = [...CODE].indexOf("t");
  const set = wrapped({ line: 1, text: CODE, marks: [[from, from + 25]] }, 30);
  const marked = set.lines.flatMap((spans) => spans.filter(({ isMarked }) => isMarked));
  expect(marked.length).toBeGreaterThan(1);
  expect(marked.map(({ text }) => text).join("")).toBe("torch.ops.aten.mul.Tensor");
});

test("hostile text is escaped before it is measured, and the loop ends", () => {
  const set = wrapped({ line: 1, text: "\u202e\n".repeat(20) }, 12);
  expect(textOf(set)).toBe("\\u202e\\n".repeat(20));
});

test("cells are side by side if there is room, else stacked", () => {
  const row = {
    kind: "changed",
    a: { line: 1, text: CODE, marks: [[8, 9]] as const },
    b: { line: 2, text: `${CODE} ` },
  };
  const [wide, narrow] = [fitOf(1050, 7), fitOf(290, 7)];
  expect([wide.isStacked, narrow.isStacked]).toEqual([false, true]);
  const [rows, above] = [setRow(row, wide), setRow(row, narrow)];
  const counts = rows.cells.map((cell) => cell?.lines.length ?? 0);
  expect(rows.height).toBe(Math.max(...counts) * LINE);
  // the lines differ only by a space at the end: one is shown, with both numbers
  expect(above.cells[0]).toBeUndefined();
  expect(above.cells[1]?.numbers).toEqual([1, 2]);
  const other = setRow({ ...row, b: { line: 2, text: "y" } }, narrow);
  expect(other.cells.map((cell) => cell?.numbers)).toEqual([
    [1, undefined],
    [undefined, 2],
  ]);
  expect(other.height).toBe(((other.cells[0]?.lines.length ?? 0) + 1) * LINE);
});

test("an unchanged row has one line and all of its text as a tooltip, until it is selected", () => {
  const row = { kind: "same", a: { line: 1, text: CODE }, b: { line: 1, text: `${CODE}y` } };
  const fit = fitOf(700, 7);
  expect([setRow(row, fit).height, setRow(row, fit).cells[0]?.title]).toEqual([LINE, CODE.trim()]);
  expect(setRow(row, fit, true).height).toBeGreaterThan(LINE);
});

test("an unchanged row that is too long is cut in its middle, and fits", () => {
  const path = "# model.layers.0.self_attn.rotary_emb.some_more_modules_within.q_proj";
  for (const [text, columns] of [
    [path, 40],
    [CODE, 60],
  ] as const) {
    const set = setRow({ kind: "note", a: { line: 1, text } }, { columns, isStacked: false }).cells[0];
    const shown = set && textOf(set);
    expect(set?.lines.length).toBe(1);
    expect(shown).toMatch(/^.+….+$/u);
    expect(columnsOf(set?.lines[0] ?? [])).toBeLessThanOrEqual(columns - (set?.indent ?? 0) + 1);
    expect(text.endsWith(shown?.split("…")[1] ?? "?")).toBe(true);
  }
});

test("a line about a file keeps the file's name and the beginning of its code", () => {
  const text =
    "    # File: site-packages/transformers/models/llama/modeling_llama.py:380 in forward, code: mask = f(x)";
  const set = setRow({ kind: "note", a: { line: 1, text } }, { columns: 52, isStacked: false }).cells[0];
  expect(set && textOf(set)).toBe("# File: …/modeling_llama.py:380 in forward, code…");
});
