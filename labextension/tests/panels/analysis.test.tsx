// @vitest-environment happy-dom
/** Source coverage in the code panel, and readiness: what Python derived, linked with the graph both ways. */
import { expect, test } from "vitest";
import { EdgeDtypes } from "../../src/panels/node/edge_dtypes";
import { SidePanel, type Tab } from "../../src/panels/tabbed_panel";
import { type Analysis, PAGE_VERSION, Snapshot } from "../../src/snapshot";
import { asAnalysis } from "../../src/snapshot/narrow";
import type { Selection } from "../../src/ui/actions";
import { skeletonOf } from "../programs";
import { settled, stage } from "./stage";

const SKELETON = skeletonOf({
  name: "forward",
  nodes: [
    { name: "x", op: "placeholder", shape: [2] },
    { name: "relu", inputs: ["x"], shape: [2] },
    { name: "gelu", inputs: ["relu"], shape: [2] },
  ],
});
const ANALYSIS: Analysis = {
  sources: [
    {
      file: "net.py",
      lines: [1, 2, 3],
      texts: ["if c:", "    y = relu(x)", "return block(y)"],
      statuses: ["specialised", "traced", "traced"],
      notes: ["Taken", "", ""],
      ops: [0, 1, 2],
      bytes: [0, 8, 8],
      nodes: [[], [1], []],
    },
  ],
  ready: [
    { op: "aten.gelu.default", nodes: [2], status: "blocked", core: "not core", reasons: ["No kernel"] },
    { op: "aten.relu.default", nodes: [1], status: "cpu", gain: 0.5, kernel: "portable", core: "core" },
  ],
  values: [
    { role: "input", name: "x", type: "Tensor", value: "f32[2]", outcome: "placeholder", nodes: [0] },
    {
      role: "attribute",
      name: "block.slope",
      type: "float",
      value: "0.5",
      outcome: "graph constant",
      note: "An argument of relu",
      nodes: [1],
      place: "net.py:2",
    },
    { role: "variable", name: "forward: c", type: "bool", value: "True", outcome: "absent" },
  ],
};

async function shown(tab: Tab, analysis = ANALYSIS) {
  const skeleton = { ...SKELETON, page: { version: PAGE_VERSION } };
  const detail = { methods: [], graphs: [], calls: [] };
  const snapshot = new Snapshot(
    skeleton,
    async () => detail,
    undefined,
    new Map(),
    async () => analysis,
  );
  const on = stage();
  const show = async (selection: Selection): Promise<void> => {
    const props = { snapshot, tab, selection, actions: on.actions, onTab: () => undefined };
    on.show(<SidePanel {...props} detail={{ state: "ready", detail }} />);
    await settled();
  };
  await show({ kind: "nothing" });
  return { ...on, again: show };
}

test("a table of operators: what blocks first, with reasons; a click selects the ops", async () => {
  const on = await shown("delegation");
  expect(on.find("[role=tab][aria-selected=true]", "").textContent).toBe("Readiness");
  expect(on.text()).toContain("1 operator blocks lowering.");
  const operators = [...on.root.querySelectorAll("tbody th")].map((each) => each.textContent);
  expect(operators).toEqual(["aten.gelu.default", "aten.relu.default"]);
  expect(on.text()).toContain("not of Core ATen");
  expect(on.text()).toContain("50.0%");
  on.find("button", "aten.relu.default").click();
  expect(on.requests).toEqual(["select [1]"]);
});

test("without a backend there is nothing to gain: the table shows the bytes", async () => {
  const ready = ANALYSIS.ready?.map(({ gain: _, ...row }) => ({ ...row, bytes: 2048 })) ?? [];
  const on = await shown("delegation", { ...ANALYSIS, ready });
  const columns = [...on.root.querySelectorAll("thead th")].map((each) => each.textContent);
  expect(columns).toEqual(["operator", "calls", "bytes", "runs on"]);
  expect(on.text()).toContain("2 KB");
  expect(on.text()).not.toContain("Gain");
});

test("what is not known of an operator is no proof that lowering works", async () => {
  const ready = ANALYSIS.ready?.map((row) => ({ ...row, status: "unknown" })) ?? [];
  const on = await shown("delegation", { ...ANALYSIS, ready });
  expect(on.text()).toContain("No known operator blocks lowering. 2 operators are not known.");
});

test("a line selects its ops or finds those it calls; a selected op marks its line", async () => {
  const on = await shown("code");
  on.find("button", "Source").click();
  await settled();
  expect(on.text()).toContain("1 specialised");
  expect(on.find("option", "net.py").textContent).toBe("net.py (1 op)");
  expect(on.text()).toContain("Taken");
  on.find("button.exirviz-row", "relu(x)").click();
  on.find("button.exirviz-row", "block(y)").click();
  expect(on.requests).toEqual(["select [1]", 'search "file:net.py line:3"']);
  await on.again({ kind: "node", node: 1 });
  expect(on.find(".exirviz-row-it", "").textContent).toContain("y = relu(x)");
});

test("values say what became of them: a click selects their ops, a button keeps one outcome", async () => {
  const on = await shown("shapes");
  const names = (): (string | null)[] =>
    [...on.root.querySelectorAll(".exirviz-python-values tbody th")].map((each) => each.textContent);
  expect(names()).toEqual(["x", "block.slope", "forward: c"]);
  expect(on.text()).toContain("An argument of relu · net.py:2");
  expect(on.text()).toContain("For attributes and variables");
  on.find("button.exirviz-link", "block.slope").click();
  expect(on.requests).toEqual(["select [1]"]);
  on.find("button", "Absent 1").click();
  await settled();
  expect(names()).toEqual(["forward: c"]);
});

test("an edge op lists its dtypes, those allowed, and a refused combination", async () => {
  const targets = SKELETON.targets.map((target) =>
    target.name === "gelu"
      ? { ...target, text: "executorch.exir.dialects.edge._ops.aten.gelu.default" }
      : target,
  );
  const dtypes = [
    {
      nodes: [2],
      names: ["self", "result"],
      found: ["float32", "float32"],
      allowed: [
        ["float16", "float32"],
        ["float16", "float32"],
      ],
      refused: "aten.gelu.default with self int64, result float32",
      remedy: "Convert an argument.",
    },
  ];
  const made = (isAllowed: boolean): Snapshot =>
    new Snapshot(
      { ...SKELETON, targets },
      async () => ({ methods: [], graphs: [] }),
      undefined,
      new Map(),
      async () => ({ dtypes: dtypes.map((each) => ({ ...each, is_allowed: isAllowed })) }),
    );
  const on = stage();
  const show = async (node: number, isAllowed = true): Promise<void> => {
    on.show(<EdgeDtypes snapshot={made(isAllowed)} node={node} />);
    await settled();
  };
  await show(2);
  const rows = [...on.root.querySelectorAll("tbody tr")].map((row) => row.textContent);
  expect(rows).toEqual(["selff32f16 f32", "resultf32f16 f32"]);
  expect(on.text()).toContain(
    "Example of another combination, which is not allowed: aten.gelu.default with self int64, result float32",
  );
  expect(on.text()).not.toMatch(/Refused|Convert|here:/);
  await show(2, false);
  expect(on.text()).toContain(
    "Not allowed here: aten.gelu.default with self int64, result float32. Convert an argument.",
  );
  await show(1);
  expect(on.text()).toBe("");
});

test("an analysis that names no node is refused", () => {
  expect(asAnalysis(ANALYSIS, SKELETON)).toBe(ANALYSIS);
  expect(asAnalysis(undefined, SKELETON)).toEqual({});
  const [source] = ANALYSIS.sources ?? [];
  const wrong = [
    { sources: [{ ...source, nodes: [[], [3], []] }] },
    { sources: [{ ...source, texts: ["if c:"] }] },
    { dtypes: [{ nodes: [7], names: [], found: [], allowed: [] }] },
    { ready: [{ op: "aten.relu.default", nodes: [-1], status: "cpu" }] },
  ];
  for (const each of wrong) expect(() => asAnalysis(each, SKELETON)).toThrow("contradicts itself");
});
