import { expect, test } from "vitest";
import { notebookFor } from "../../src/documents/notebook";
import { folderOf, nameOf } from "../../src/documents/paths";
import { ENGLISH, type Translation } from "../../src/hosts/translation";

const sources = (notebook: Record<string, unknown>): string[] =>
  (notebook["cells"] as { source: string }[]).map(({ source }) => source);

test("a program is loaded as data; a line that would execute code is commented out and explained", () => {
  const [, load, live] = sources(notebookFor("model.pt2", ENGLISH));
  expect(load).toContain('FILE = "model.pt2"');
  expect(load).toContain("exir_viz.explore(exir_viz.load(FILE))");
  expect(live).toContain("EXECUTE CODE");
  expect(live?.split("\n").every((line) => line.startsWith("#"))).toBe(true);
});

test("the warning has lines that fit into a cell, before the code", () => {
  const lines = sources(notebookFor("model.pt2", ENGLISH))[2]?.split("\n") ?? [];
  expect(lines.slice(0, 2)).toEqual([
    "# To lower, run or profile the program, make it live. This can EXECUTE CODE from the file, because",
    "# torch.export.load unpickles objects and evaluates expressions. Only do it for a file that you trust:",
  ]);
  expect(lines.at(-1)).toBe("#     session");
});

test("no translation of the warning gets out of its comment", () => {
  const trans: Translation = { __: (text) => `${text}\nimport os\r\nos.remove(FILE)` };
  const live = sources(notebookFor("model.pt2", trans))[2] ?? "";
  expect(live).toContain("import os");
  expect(live.split(/[\n\r]/).filter((line) => !line.startsWith("#"))).toEqual([]);
});

test("a .pte has no live program, and a profile is loaded as a profile", () => {
  expect(sources(notebookFor("model.pte", ENGLISH)).length).toBe(2);
  expect(sources(notebookFor("run.exirprofile", ENGLISH))[1]).toContain("exir_viz.load(FILE)");
  expect(sources(notebookFor("all.exirviz", ENGLISH))[1]).toContain("exir_viz.explore(FILE)"); // all stages
});

test.each(['a"b.pte', "a\\b.pte", "line\nbreak.pte", "'); import os; ('.pte"])(
  "the name %j stays within its string",
  (name) => {
    const line =
      sources(notebookFor(name, ENGLISH))[1]
        ?.split("\n")
        .find((each) => each.startsWith("FILE = ")) ?? "";
    expect(JSON.parse(line.slice("FILE = ".length))).toBe(name);
  },
);

test("a name is not markup", () => {
  expect(sources(notebookFor("<img src=x>.pte", ENGLISH))[0]).toContain("# \\<img src=x\\>.pte");
});

test("the server's preferred kernel is named", () => {
  const spec = { name: "python3", display_name: "Python 3" };
  expect(notebookFor("model.pte", ENGLISH, spec)["metadata"]).toEqual({ kernelspec: spec });
});

test.each([
  ["model.pt2", "", "model.pt2"],
  ["a/b/model.pt2", "a/b", "model.pt2"],
  ["RTC:model.pt2", "RTC:", "model.pt2"],
  ["RTC:a/model.pt2", "RTC:a", "model.pt2"],
])("the path %s has folder and name", (path, folder, name) => {
  expect([folderOf(path), nameOf(path)]).toEqual([folder, name]);
});
