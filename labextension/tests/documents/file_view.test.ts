// @vitest-environment happy-dom
/** A document's file: read, refused, read again, compared; with real pictures, and a test provider. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileView } from "../../src/documents/file_view";
import { ENGLISH } from "../../src/hosts/translation";
import { packedSections, unpack } from "../../src/snapshot/container";
import { comparisonOf, programs } from "../compare/compared";
import { eventually } from "../eventually";
import { written } from "../stages/staged";
import { container, FakeProvider, refused } from "./answers";

let host: HTMLElement;
let provider: FakeProvider;
let view: FileView;
let program: Uint8Array;
let diff: Uint8Array;

beforeEach(async () => {
  const [a, b] = programs();
  const sides = { a: await a.detail(), b: await b.detail() };
  program = container({ skeleton: a.skeleton, detail: sides.a });
  diff = container({
    version: "1",
    comparison: comparisonOf([a, b]),
    text: [],
    "a/skeleton": a.skeleton,
    "a/detail": sides.a,
    "b/skeleton": b.skeleton,
    "b/detail": sides.b,
  });
  host = document.body.appendChild(document.createElement("div"));
  provider = new FakeProvider();
  provider.answer = async () => program;
  view = new FileView(host, provider, "dir/model.pt2", ENGLISH);
});

afterEach(() => {
  view.dispose();
  host.remove();
});

const count = (selector: string): number => host.querySelectorAll(selector).length;
const click = (label: string): void =>
  [...host.querySelectorAll("button")].find(({ textContent }) => textContent === label)?.click();

test("a program is shown under the name of its file", async () => {
  await view.read();
  expect(provider.requests).toEqual(["dir/model.pt2"]);
  expect(count(".exirviz-explorer")).toBe(1);
  expect(host.textContent).toContain("model.pt2");
});

/** The answer for a session's file: the stages of a lowered program. */
async function session(): Promise<Uint8Array> {
  const { files, ...stages } = written("mobilenetv2");
  const sections: Record<string, unknown> = { stages, version: "1" };
  for (const [id, file] of Object.entries(files))
    for (const [name, packed] of packedSections(Buffer.from(file, "base64")))
      sections[`${id}/${name}`] = await unpack(packed);
  return container(sections);
}

test("a session is shown with all its stages, and a click compares two of them", async () => {
  provider.answer = async () => session();
  await view.read();
  await eventually(() => expect(count(".exirviz-explorer canvas")).toBeGreaterThan(0));
  const names = [...host.querySelectorAll(".exirviz-stage b")].map(({ textContent }) => textContent);
  expect(names).toEqual(["exported", "edge", "xnnpack", "executorch"]);
  provider.answer = async () => diff;
  click("Compare");
  await eventually(() => expect(count(".exirviz-compare .exirviz-pane")).toBe(2));
  expect(provider.requests[1]).toMatch(/^dir\/model\.pt2: s\d → s\d$/);
});

test("a comparison of stages of another version of the file is not shown", async () => {
  provider.answer = async () => session();
  await view.read();
  await eventually(() => expect(count(".exirviz-explorer canvas")).toBeGreaterThan(0));
  provider.answer = async () => container({ version: "2", comparison: {}, text: [] });
  click("Compare");
  await eventually(() => expect(host.textContent).toContain("The file has changed since it was opened."));
});

test.each([
  ["model.pt2", /trust it.*exir_viz\.profile\(exir_viz\.load\("model\.pt2", trust=True\)\)/],
  ["model.pte", /trust it.*profile_file\("model\.pte", trust=True\)/],
  ["model.bpte", /trust it.*profile_file\("model\.bpte", trust=True\)/],
  ["model.exirviz", /^$/],
])("the explorer of %s gets the cell that measures it", async (path, cell) => {
  const { mountExplorer } = await import("../../src/hosts/explorer");
  const { mountCompare } = await import("../../src/hosts/compare");
  const cells: (string | undefined)[] = [];
  view.dispose();
  view = new FileView(host, provider, `dir/${path}`, ENGLISH, {
    comparison: mountCompare,
    explorer: (place, source, options) => {
      cells.push(options?.howToMeasure);
      return mountExplorer(place, source, options);
    },
  });
  await view.read();
  expect(cells).toEqual([expect.stringMatching(cell)]);
});

test("a bar says how much of the reader is loaded, until the file is read", async () => {
  let give = (_: Uint8Array): void => undefined;
  provider.answer = () => new Promise((done) => (give = done));
  const read = view.read();
  expect(host.textContent).toBe("Reading the file…");
  provider.onLoading(0.25);
  const bar = host.querySelector("progress");
  expect([bar?.value, bar?.getAttribute("aria-label")]).toEqual([0.25, "Loading Python"]);
  provider.onLoading(0.5);
  expect(host.querySelector("progress")).toBe(bar);
  expect(bar?.value).toBe(0.5);
  provider.onLoading(1);
  expect(host.textContent).toBe("Reading the file…");
  give(program);
  await read;
  provider.onLoading(0.5); // the reader is loaded again for another file
  expect([count("progress"), count(".exirviz-explorer")]).toEqual([0, 1]);
});

test("an unreadable file has a page with reason, part and remedy, and can be tried again", async () => {
  provider.answer = async () => Promise.reject(refused("it ends <b>too</b> early"));
  await view.read();
  expect(host.querySelector("h2")?.textContent).toBe("Cannot open model.pt2");
  expect([...host.querySelectorAll("dd")].map(({ textContent }) => textContent)).toEqual([
    "It ends <b>too</b> early.",
    "models/model.json",
    "Save it again.",
  ]);
  expect(count("b")).toBe(0);
  provider.answer = async () => program;
  click("Try again");
  await eventually(() => expect(count(".exirviz-explorer")).toBe(1));
  expect(count("h2")).toBe(0);
});

test.each([
  ["an answer that is none", async () => new Uint8Array([1, 2, 3])],
  ["an answer without a program", async () => container({ text: [] })],
  ["a server that is gone", async () => Promise.reject(new TypeError("Failed to fetch"))],
])("%s becomes an error page", async (_, answer) => {
  provider.answer = answer;
  await view.read();
  expect(count(".exirviz-document-error")).toBe(1);
  expect(count("dd")).toBe(2);
});

test("a changed file is offered, and read again only when the user wants it", async () => {
  await view.read();
  view.offerReload();
  view.offerReload();
  expect(count(".exirviz-document-offer button")).toBe(1);
  expect(provider.requests.length).toBe(1);
  const before = host.querySelector(".exirviz-explorer");
  click("Reload");
  expect(count(".exirviz-document-offer button")).toBe(0);
  await eventually(() => expect(host.querySelector(".exirviz-explorer")).not.toBe(before));
  expect(provider.requests.length).toBe(2);
  expect(count(".exirviz-explorer")).toBe(1);
});

test("what is open and selected stays so when the file is read again", async () => {
  const mounts: unknown[] = [];
  const { mountExplorer } = await import("../../src/hosts/explorer");
  const { mountCompare } = await import("../../src/hosts/compare");
  view.dispose();
  view = new FileView(host, provider, "model.pt2", ENGLISH, {
    comparison: mountCompare,
    explorer: (place, source, options) => {
      mounts.push(options?.view);
      return mountExplorer(place, source, options);
    },
  });
  await view.read();
  await view.read();
  expect(mounts[0]).toBeUndefined();
  expect(mounts[1]).toHaveProperty("open");
});

test("a search is repeated when the file is read again, and dropped where it finds nothing", async () => {
  const { mountExplorer } = await import("../../src/hosts/explorer");
  const { mountCompare } = await import("../../src/hosts/compare");
  const mounts: ReturnType<typeof mountExplorer>[] = [];
  view.dispose();
  view = new FileView(host, provider, "model.pt2", ENGLISH, {
    comparison: mountCompare,
    explorer: (...given) => {
      const mounted = mountExplorer(...given);
      mounts.push(mounted);
      return mounted;
    },
  });
  const explorer = async () => {
    const found = await mounts.at(-1)?.ready;
    if (!found) throw new Error("no explorer");
    return found;
  };
  await view.read();
  for (const query of ["op:placeholder", "no_such_op"]) {
    const before = await explorer();
    await before.search.ask(query);
    before.select([0]);
    const found = before.state.results.nodes.length;
    await view.read();
    const after = await explorer();
    await eventually(() => expect(after.state.selected).toEqual([0]));
    await after.coloring.set([]); // the last that a view restores before its query
    await after.search.answered();
    expect([after.state.query, after.state.results.nodes.length]).toEqual([found ? query : "", found]);
  }
});

test("a renamed file is read under its new name", async () => {
  await view.read();
  view.rename("dir/other.pt2");
  await view.read();
  expect(provider.requests).toEqual(["dir/model.pt2", "dir/other.pt2"]);
});

test("two files are compared in place of the one, and closing returns to it", async () => {
  await view.read();
  provider.answer = async () => diff;
  await view.compareWith("dir/other.pt2");
  expect(provider.requests[1]).toBe("dir/model.pt2 → dir/other.pt2");
  await eventually(() => expect(count(".exirviz-compare .exirviz-pane")).toBe(2));
  expect(host.querySelector<HTMLElement>(".exirviz-document-program")?.hidden).toBe(true);
  click("‹ Back");
  expect(count(".exirviz-compare")).toBe(0);
  expect(host.querySelector<HTMLElement>(".exirviz-document-program")?.hidden).toBe(false);
});

test("a failed comparison shows why, and the program is still there", async () => {
  await view.read();
  provider.answer = async () => Promise.reject(refused("it is a pipe"));
  await view.compareWith("dir/other.pt2");
  expect(count(".exirviz-document-error")).toBe(1);
  expect(count(".exirviz-compare")).toBe(0);
  click("Back");
  expect(count(".exirviz-document-error")).toBe(0);
  expect(count(".exirviz-explorer")).toBe(1);
});

test("a later request ends the previous one, and nothing is shown after the document is closed", async () => {
  const answers: ((bytes: Uint8Array) => void)[] = [];
  provider.answer = () => new Promise((done) => void answers.push(done));
  const first = view.read();
  const second = view.read();
  expect(provider.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  view.dispose();
  expect(provider.signals[1]?.aborted).toBe(true);
  for (const answer of answers) answer(program);
  await Promise.all([first, second]);
  expect(host.childElementCount).toBe(0);
});
