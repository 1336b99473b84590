/** The actions for a selection, and that each does what it says. */
import { expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { selectionActions } from "../../src/frame/selection_actions";
import { lineQuery } from "../../src/snapshot";
import { sevenWide, snapshotOf, stack } from "../programs";

const explored = (): Explorer => new Explorer(snapshotOf(stack(3)), sevenWide, { width: 1000, height: 800 });
const leaf = ({ picture, snapshot }: Explorer, op: string): number =>
  [...picture.hierarchy.leaf].find((item) => {
    const node = picture.nodeOf(item);
    const { graph, position } = snapshot.locate(Math.max(0, node));
    return node >= 0 && graph.op(position) === op;
  }) ?? -1;
const words = (explorer: Explorer): string[] => selectionActions(explorer).map(({ word }) => word);

test("an op has a line, a colour and a bookmark; an input cannot be coloured; a module has no line", () => {
  const explorer = explored();
  expect(words(explorer)).toEqual([]);
  explorer.select([leaf(explorer, "call_function")]);
  expect(words(explorer)).toEqual(["Find line", "Color", "Bookmark"]);
  explorer.select([leaf(explorer, "placeholder")]);
  expect(words(explorer)).toEqual(["Find line", "Bookmark"]);
  const module = Array.from({ length: explorer.picture.count }, (_, item) => item).find(
    (item) => explorer.picture.scopeOf(item) >= 0 && explorer.picture.isGroup(item),
  );
  explorer.select([module ?? -1]);
  expect(words(explorer)).toEqual(["Color", "Bookmark"]);
});

test("colouring an op adds a rule that finds it, and a bookmark is kept and confirmed", async () => {
  const explorer = explored();
  const item = leaf(explorer, "call_function");
  explorer.select([item]);
  const [, color, bookmark] = selectionActions(explorer);
  await color?.run();
  expect(explorer.state.rules).toHaveLength(1);
  expect(explorer.state.ruled.has(explorer.picture.nodeOf(item))).toBe(true);
  bookmark?.run();
  expect(explorer.state.bookmarks).toHaveLength(1);
  expect(explorer.state.notice).toMatch(/^Bookmarked /);
});

test("a line is searched by the name of its file, in quotes if that has spaces", () => {
  const frame = (file: string) => ({ file, line: 7, function: "forward", code: "" });
  expect(lineQuery(frame("/home/me/model.py"))).toBe("file:model.py line:7");
  expect(lineQuery(frame("/home/me/my model.py"))).toBe('file:"my model.py" line:7');
});
