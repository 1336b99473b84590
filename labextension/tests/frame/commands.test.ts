/** What commands do, when they apply, and that a key means one thing. */
import { expect, test } from "vitest";
import type { CanvasView } from "../../src/canvas/view";
import { COMPARE_COMMANDS } from "../../src/compare/columns/commands";
import { Explorer } from "../../src/explorer";
import { COMMANDS, type Page, perform, titled } from "../../src/frame/commands";
import { lineQuery } from "../../src/snapshot";
import { sevenWide, snapshotOf, stack } from "../programs";
import { snapshotAt } from "../stages/staged";

const pageOf = (snapshot = snapshotOf(stack(3))): Page => ({
  explorer: new Explorer(snapshot, sevenWide, { width: 1000, height: 800 }),
  view: {} as CanvasView,
});
const leaf = ({ picture, snapshot }: Explorer, op: string): number =>
  [...picture.hierarchy.leaf].find((item) => {
    const node = picture.nodeOf(item);
    const { graph, position } = snapshot.locate(Math.max(0, node));
    return node >= 0 && graph.op(position) === op;
  }) ?? -1;
const offered = (page: Page): string[] =>
  COMMANDS.filter(({ place, applies }) => place === "selection" && applies?.(page)).map(({ name }) => name);

test("a key has one meaning, in an explorer and in a comparison", () => {
  for (const commands of [COMMANDS, COMPARE_COMMANDS]) {
    const keys = commands.flatMap((command) => command.keys ?? []);
    expect(new Set(keys).size).toBe(keys.length);
  }
  const meaning = new Map(COMMANDS.flatMap(({ keys = [], name }) => keys.map((key) => [key, name])));
  const other = COMPARE_COMMANDS.flatMap(({ keys = [], name }) =>
    keys.filter((key) => (meaning.get(key) ?? name) !== name),
  );
  expect(other).toEqual([]);
});

test("a tooltip names the key of a command", () => {
  expect([titled("Search", "search"), titled("Narrow", "unroll")]).toEqual(["Search (/)", "Narrow"]);
});

test("a key that has nothing to show says why", () => {
  const page = pageOf();
  const noticeOf = (command: string): string => {
    page.explorer.store.set({ notice: "" });
    perform(page, command);
    return page.explorer.state.notice;
  };
  expect(noticeOf("by-delegate")).toBe("Nothing is delegated here");
  expect([noticeOf("hotter"), noticeOf("less-hot")]).toEqual(["No profile yet", "No profile yet"]);
  expect(noticeOf("tab-code")).toBe("");
  expect(page.explorer.state.tab).toBe("code");
});

test("where something is delegated, the key shows it", async () => {
  const page = pageOf(await snapshotAt("llama2", "xnnpack"));
  perform(page, "by-delegate");
  await expect.poll(() => page.explorer.picture.isByDelegate).toBe(true);
  expect(page.explorer.state.notice).toBe("");
});

test("what a selection offers: an input cannot be coloured, a module has no line, two boxes have paths", () => {
  const page = pageOf();
  const { explorer } = page;
  expect(offered(page)).toEqual([]);
  explorer.select([leaf(explorer, "call_function")]);
  const ofOp = ["fit-selection", "all-inputs", "all-users", "find-line", "color-selection"];
  expect(offered(page)).toEqual(ofOp);
  explorer.select([leaf(explorer, "placeholder")]);
  expect(offered(page)).toEqual(ofOp.filter((name) => name !== "color-selection"));
  const module = Array.from({ length: explorer.picture.count }, (_, item) => item).find(
    (item) => explorer.picture.scopeOf(item) >= 0 && explorer.picture.isGroup(item),
  );
  explorer.select([module ?? -1]);
  expect(offered(page)).toEqual(expect.arrayContaining(["toggle", "toggle-similar", "color-selection"]));
  expect(offered(page)).not.toContain("find-line");
  explorer.select([module ?? -1, leaf(explorer, "call_function")]);
  expect(offered(page)).toContain("between");
});

test("all inputs are highlighted and cleared by one command, and step by step by another", () => {
  const page = pageOf();
  const { explorer } = page;
  explorer.select([leaf(explorer, "call_function")]);
  perform(page, "all-inputs");
  expect(explorer.state.focus).toEqual({ direction: "ancestors", steps: Number.POSITIVE_INFINITY });
  perform(page, "ancestors");
  perform(page, "ancestors");
  expect(explorer.state.focus).toEqual({ direction: "ancestors", steps: 2 });
  expect(explorer.state.notice).toBe("2 steps");
  perform(page, "all-inputs");
  perform(page, "all-inputs");
  expect(explorer.state.focus).toBeUndefined();
});

test("colouring an op adds a rule that finds it, and a bookmark is kept and confirmed", async () => {
  const page = pageOf();
  const { explorer } = page;
  const item = leaf(explorer, "call_function");
  explorer.select([item]);
  await perform(page, "color-selection");
  expect(explorer.state.rules).toHaveLength(1);
  expect(explorer.state.ruled.has(explorer.picture.nodeOf(item))).toBe(true);
  perform(page, "bookmark");
  expect(explorer.state.bookmarks).toHaveLength(1);
  expect(explorer.state.notice).toMatch(/^Bookmarked /);
});

test("a line is searched by the name of its file, in quotes if that has spaces", () => {
  const frame = (file: string) => ({ file, line: 7, function: "forward", code: "" });
  expect(lineQuery(frame("/home/me/model.py"))).toBe("file:model.py line:7");
  expect(lineQuery(frame("/home/me/my model.py"))).toBe('file:"my model.py" line:7');
});
