// @vitest-environment happy-dom
/** A row about a module is a button only if it leads somewhere. */
import { expect, test } from "vitest";
import { PairPanel } from "../../src/compare/view/panel";
import { ModulePress } from "../../src/compare/view/rows";
import { settled } from "../panels/stage";
import { matched } from "./matched";
import { columnsOf } from "./shown";
import { telling } from "./telling";

test("the row of a module selects it, and that of the whole model is not a button", async () => {
  const columns = columnsOf();
  const [first] = columns.changes.comparison.modules ?? [];
  if (!first) throw new Error("The comparison tells of no module.");
  const root = { a: 0, b: 0, path: "" };
  expect(columns.changes.snapshots.map(({ scopes }) => scopes[0]?.path)).toEqual(["", ""]);
  const place = telling(
    columns,
    <>
      <ModulePress module={first} title="">
        <span>one module</span>
      </ModulePress>
      <ModulePress module={{ ...first, ...root }} title="">
        <span>the whole model</span>
      </ModulePress>
    </>,
  );
  const buttons = [...place.root.querySelectorAll("button")];
  expect(buttons.map(({ textContent }) => textContent)).toEqual(["one module"]);
  expect(place.text()).toContain("the whole model");
  buttons[0]?.click();
  await settled();
  const { picture, state } = columns.row.explorer(1);
  expect(state.selected.map((item) => picture.scopeOf(item))).toEqual([first.b]);
});

test("a module without a box is named at a change, and is not a button", async () => {
  const apart = [
    { name: "forward", nodes: [{ name: "x" }] },
    { name: "other", nodes: [{ name: "sin", module: "elsewhere" }] },
  ];
  const node = ["forward/other/sin"];
  const columns = columnsOf(undefined, matched(apart, apart, [["changed", node, node]]));
  columns.store.set({ match: 0 });
  const place = telling(columns);
  await settled();
  expect(place.text()).toContain("in elsewhere");
  expect(() => place.find("button", "elsewhere")).toThrow("No button");
});

test("the list of modules says what its numbers count", async () => {
  const columns = columnsOf();
  const group = { path: "rotary", classes: [], counts: { removed: 13 }, modules: [0], ops: [18, 5] } as const;
  Object.assign(columns.changes.comparison, { module_groups: [group] });
  const place = telling(columns, <PairPanel />);
  await settled();
  const text = place.root.querySelector('[aria-label="By module"]')?.textContent ?? "";
  expect(text).toContain("changes without submodules");
  expect(text).toContain("Calls include submodules, and a delegate counts as one call.");
  expect(text).toContain("18 → 5 calls");
});

test("counts of state say that those in delegates are left out, if there are delegates", async () => {
  const columns = columnsOf();
  const fact = { topic: "state", name: "parameters", text: "", before: "106,816", after: "16,704" };
  Object.assign(columns.changes.comparison, { fact_groups: [fact] });
  const text = async (): Promise<string> => {
    const place = telling(columns, <PairPanel />);
    await settled();
    return place.root.querySelector('[aria-label="Other changes"]')?.textContent ?? "";
  };
  expect(await text()).not.toContain("delegates");
  const [graph] = columns.changes.snapshots[1].graphs;
  Object.assign(graph?.columns ?? {}, { delegate: { backend: "XnnpackBackend" } });
  expect(await text()).toContain("106,816 → 16,704 without those in delegates");
});
