// @vitest-environment happy-dom
/** Source coverage and values of Python: what Python derived, linked with the graph both ways. */
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
    { values: [{ role: "input", name: "x", type: "", value: "", outcome: "op", nodes: [-1] }] },
  ];
  for (const each of wrong) expect(() => asAnalysis(each, SKELETON)).toThrow("contradicts itself");
});
