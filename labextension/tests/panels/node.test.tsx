// @vitest-environment happy-dom
/** The inspector shows what the Snapshot has about a node, and links lead to what they name. */
import { describe, expect, test } from "vitest";
import { lineageOf } from "../../src/panels/node/lineage_steps";
import { NodePanel } from "../../src/panels/node/panel";
import { parameters } from "../../src/panels/node/schema";
import { Searcher } from "../../src/search";
import type { Snapshot } from "../../src/snapshot";
import type { Actions, CellLine } from "../../src/ui/actions";
import { changed, readCorpus } from "../snapshots";
import { nodeNamed, ready, settled, stage } from "./stage";

const llama = await readCorpus("llama32.core");

async function shown(snapshot: Snapshot, name: string, more: Partial<Actions> = {}) {
  const on = stage();
  const node = nodeNamed(snapshot, name);
  const actions = { ...on.actions, ...more };
  on.show(<NodePanel snapshot={snapshot} actions={actions} detail={await ready(snapshot)} node={node} />);
  await settled();
  return on;
}

test("an op: value, arguments, users, module, source, lineage", async () => {
  const on = await shown(llama, "mm_35");
  const text = on.text();
  for (const fact of [
    "aten.mm.default",
    "f32[16, 64]",
    "float32",
    "contiguous",
    "4 KB",
    "view_135",
    "model.layers.5.self_attn.q_proj.weight",
    "view_136",
    "modeling_llama.py:243",
    "5 frames",
    "source line 243",
    "torch_fn",
    "from_node",
    "this node",
  ]) {
    expect(text).toContain(fact);
  }
  expect(on.root.querySelector(".exirviz-source-line-it")?.textContent).toContain(
    "self.q_proj(hidden_states)",
  );
});

test("what torch counted as a call is no name of a node", async () => {
  const detail = await llama.detail();
  const names = new Set(llama.graphs.flatMap(({ columns }) => columns.names));
  const [graph] = llama.graphs;
  const calls = Array.from({ length: graph?.count ?? 0 }, (_, node) => lineageOf(llama, detail, node))
    .flat()
    .filter(({ evidence }) => evidence === "torch_fn" || evidence === "source_fn_stack")
    .flatMap((step) => step.names);
  expect(calls).toContain("linear()");
  expect(calls.filter((each) => names.has(each))).toEqual([]);
});

test("links ask for their node or module, a source line for a search", async () => {
  const on = await shown(llama, "mm_35");
  on.find("button", "view_136").click();
  expect(on.requests).toContain(`reveal ${nodeNamed(llama, "view_136")}`);
  on.find(".exirviz-crumb button", "layers.5").click();
  const scope = llama.scopes.findIndex(({ path }) => path === "model.layers.5");
  expect(on.requests).toContain(`revealModule 0 ${scope}`);
  on.find(".exirviz-where button", "modeling_llama.py:243").click();
  expect(on.requests).toContain('search "file:modeling_llama.py line:243"');
});

test("a line of a notebook cell is searched by the cell's file, which finds its nodes", async () => {
  const file = "/tmp/ipykernel_12/3456.py";
  const inCell = await changed(
    llama,
    () => ({}),
    (detail) => ({
      frames: (detail.frames ?? []).map((frame) => (frame.line === 134 ? frame : { ...frame, file })),
    }),
  );
  const on = await shown(inCell, "mm_35");
  on.find(".exirviz-where button", "cell:243").click();
  expect(on.requests).toContain('search "file:3456.py line:243"');
  const searcher = new Searcher(inCell);
  const found = await searcher.find("file:3456.py line:243");
  expect(Array.from(found, (node) => inCell.name(node))).toContain("mm_35");
  expect(await searcher.find("file:cell line:243")).toEqual(found);
});

test("a line of a notebook cell can be shown in the notebook, if there is one", async () => {
  const file = "/tmp/ipykernel_12/3456.py";
  const inCell = await changed(
    llama,
    () => ({}),
    (detail) => ({
      frames: (detail.frames ?? []).map((frame) =>
        frame.line === 134 ? frame : { ...frame, file, code: "y = self.proj(x)\n^^^^" },
      ),
      sources: [{ file, lines: [242, 243], text: ["def forward(self, x):", "    y = self.proj(x)"] }],
    }),
  );
  const without = await shown(inCell, "mm_35");
  expect(without.text()).not.toContain("Show in notebook");
  const wanted: CellLine[] = [];
  const on = await shown(inCell, "mm_35", { showCell: (line) => wanted.push(line) });
  on.find(".exirviz-where button", "Show in notebook").click();
  const text = new Map([
    [243, "    y = self.proj(x)"],
    [242, "def forward(self, x):"],
  ]);
  expect(wanted).toEqual([{ line: 243, text }]);
  on.find(".exirviz-where button", "cell:243").click();
  expect(wanted).toEqual(Array(2).fill({ line: 243, text }));
  expect(on.requests.at(-1)).toMatch(/^search /);
});

test("copies the name and the id, and confirms it", async () => {
  const on = await shown(llama, "mm_35");
  on.find(".exirviz-copy", "id").click();
  await settled();
  expect(on.requests).toEqual(['copy "forward/mm_35"']);
  expect(on.text()).toContain("copied");
});

test("a frame of the trace can be shown", async () => {
  const on = await shown(llama, "mm_35");
  on.find(".exirviz-source-frame", "linear.py:134").click();
  await settled();
  expect(on.root.querySelector(".exirviz-source-line-it")?.textContent).toContain("F.linear(");
});

test("a mutated buffer names its writer", async () => {
  const snapshot = await readCorpus("buffer_mutation.core");
  const written = snapshot.skeleton.graphs[0]?.signature?.outputs?.find(({ target }) => target === "steps");
  const on = await shown(snapshot, "b_steps");
  expect(on.text()).toContain("in the state_dict");
  expect(on.text()).toContain(`mutated by${written?.arg.name}`);
});

test("state that shares memory names the other", async () => {
  const snapshot = await changed(llama, (skeleton) => ({
    methods: skeleton.methods.map((method) => ({
      ...method,
      state: method.state?.map((entry, i) => (i < 2 ? { ...entry, storage: 0 } : entry)) ?? [],
    })),
  }));
  const on = await shown(snapshot, "p_model_embed_tokens_weight");
  expect(on.text()).toContain("shared with model.layers.0.self_attn.q_proj.weight");
});

describe("missing facts have a text", () => {
  test.each([
    ["p_model_embed_tokens_weight", "No source line recorded"],
    ["p_model_embed_tokens_weight", "outside any module"],
    ["output", "the caller"],
    ["_assert_tensor_metadata", "No value: runs for its side effects"],
    ["_assert_tensor_metadata", "usersnone"],
  ])("%s: %s", async (name, words) => {
    expect((await shown(llama, name)).text()).toContain(words);
  });

  test("a detail that is loading, and one that failed", async () => {
    const on = stage();
    const props = { snapshot: llama, actions: on.actions, node: nodeNamed(llama, "mm_35") };
    on.show(<NodePanel {...props} detail={{ state: "busy" }} />);
    expect(on.text()).toContain("Reading arguments and source…");
    let retried = 0;
    on.show(
      <NodePanel {...props} detail={{ state: "failed", problem: "It is torn.", retry: () => retried++ }} />,
    );
    expect(on.text()).toContain("It is torn.");
    on.find("button", "Try again").click();
    expect(retried).toBe(1);
  });
});

test("arguments have the names of the schema, and omitted ones their default", async () => {
  const schema = "aten::mm(Tensor self, Tensor mat2, *, ScalarType? out_dtype=None) -> Tensor";
  const snapshot = await changed(llama, ({ targets }) => ({
    targets: targets.map((target) => (target.name === "mm" ? { ...target, schema } : target)),
  }));
  const on = await shown(snapshot, "mm_35");
  const terms = [...on.root.querySelectorAll(".exirviz-section[aria-label=Arguments] dt")];
  expect(terms.map((term) => term.textContent)).toEqual(["self", "mat2", "out_dtype"]);
  expect(on.text()).toContain(
    "aten.mm.default(Tensor self, Tensor mat2, *, ScalarType? out_dtype=None) → Tensor",
  );
  expect(on.find("dd", "default").textContent).toBe("None default");
});

test("schemas", () => {
  const names = (schema: string) =>
    parameters(schema).map(({ name, fallback }) => `${name}=${fallback ?? ""}`);
  expect(
    names('f(Tensor(a!) self, int[2] k=[1, 1], str m="a, b", *, bool b=False) -> (Tensor, Tensor)'),
  ).toEqual(["self=", "k=[1, 1]", 'm="a, b"', "b=False"]);
  expect(names("not a schema")).toEqual([]);
});
