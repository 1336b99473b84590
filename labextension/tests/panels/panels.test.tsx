// @vitest-environment happy-dom
/** Module, edge, several, code, signature: each shows the main facts of real programs. */
import { describe, expect, test } from "vitest";
import { selectionOf } from "../../src/frame/selection";
import { SidePanel, type Tab } from "../../src/panels/tabbed_panel";
import { Picture } from "../../src/picture";
import { Searcher } from "../../src/search";
import type { Snapshot } from "../../src/snapshot";
import { NOTHING, type Selection } from "../../src/ui/actions";
import { sevenWide } from "../programs";
import { readCorpus } from "../snapshots";
import { snapshotAt } from "../stages/staged";
import { nodeNamed, ready, settled, stage } from "./stage";

async function shown(program: string | Snapshot, tab: Tab, selection: Selection = NOTHING) {
  const snapshot = typeof program === "string" ? await readCorpus(program) : program;
  const on = stage();
  const detail = await ready(snapshot);
  const again = async (next: Selection): Promise<void> => {
    on.show(
      <SidePanel
        {...{ snapshot, detail, tab }}
        selection={next}
        actions={on.actions}
        onTab={(to) => on.requests.push(to)}
      />,
    );
    await settled();
  };
  await again(selection);
  return { ...on, snapshot, again };
}

const scopeOf = (snapshot: Snapshot, path: string) =>
  snapshot.scopes.findIndex((scope) => scope.path === path);

describe("inspector", () => {
  test("nothing selected: the program", async () => {
    const { text } = await shown("llama32.core", "node");
    for (const fact of ["llama32.core.pt2", "torch 2.", "3,912", "293 tensors", "aten.mm.default"]) {
      expect(text()).toContain(fact);
    }
  });

  test("a panel of another kind begins at its top; from node to node it stays in place", async () => {
    const { root, snapshot, again } = await shown("llama32.core", "node");
    const scroll = (): HTMLElement => {
      const found = root.querySelector<HTMLElement>("[role=tabpanel]");
      if (!found) throw new Error("no panel");
      return found;
    };
    scroll().scrollTop = 100;
    await again({ kind: "node", node: nodeNamed(snapshot, "mm") });
    expect(scroll().scrollTop).toBe(0);
    scroll().scrollTop = 100;
    await again({ kind: "node", node: nodeNamed(snapshot, "mm_1") });
    expect(scroll().scrollTop).toBe(100);
  });

  test("a delegate has the name of its box, and links to its parts and its call", async () => {
    const snapshot = await snapshotAt("llama2", "xnnpack");
    const call = [...snapshot.placement(snapshot.graph(0)).delegates.values()].find(
      ({ parts }) => parts?.length === 3,
    );
    const graph = snapshot.graph(call?.graph ?? 0);
    const on = await shown(snapshot, "node", { kind: "graph", graph: graph.number });
    expect(on.find("h3", call?.name ?? "").textContent).toBe(call?.name);
    for (const [i, { owner, nodes }] of (call?.parts ?? []).entries()) {
      on.find("button", `${i + 1}: ${snapshot.scopes[owner]?.path}`).click();
      expect(on.requests.at(-1)).toBe(`reveal ${graph.base + (nodes[0] ?? 0)}`);
    }
    on.find("button", snapshot.name(call?.call ?? 0)).click();
    expect(on.requests.at(-1)).toBe(`reveal ${call?.call}`);
    const [user = -1] = snapshot.graph(0).usersOf(nodeNamed(snapshot, "aten_embedding_default"));
    expect(snapshot.title(user)).toMatch(/^XNNPACK \d+$/);
    await on.again({ kind: "node", node: nodeNamed(snapshot, "aten_embedding_default") });
    expect(on.find("button", snapshot.title(user))).toBeTruthy();
  });

  test("a module: class, ops, parameters, equal siblings", async () => {
    const snapshot = await readCorpus("llama32.core");
    const equal = Array.from({ length: 32 }, (_, i) => scopeOf(snapshot, `model.layers.${i}`));
    const scope = scopeOf(snapshot, "model.layers.5");
    const on = await shown(snapshot, "node", { kind: "module", graph: 0, scope, equal });
    const found = await new Searcher(snapshot).find("in:model.layers.5");
    expect(on.text()).toContain("LlamaDecoderLayer");
    expect(on.text()).toContain("1 of 32");
    expect(on.text()).toContain("4 modules");
    on.find("button", `Select ${found.length} nodes`).click();
    expect(on.requests.at(-1)).toBe(`select ${JSON.stringify([...found])}`);
  });

  test("a module whose siblings have the same ops and other sizes: similar, none identical", async () => {
    const snapshot = await readCorpus("resnet50");
    const [scope, other] = [0, 3].map((stage) => scopeOf(snapshot, `resnet.encoder.stages.${stage}`));
    const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
    const selected = [picture.moduleItem(0, scope ?? -1) ?? -1];
    const scene = picture.layout.scene(picture.view(new Set(), new Set()));
    const on = await shown(snapshot, "node", selectionOf({ picture, selected, edge: undefined, scene }));
    expect(on.text()).toContain("no siblings");
    expect(on.text()).toContain("same ops, different shapes or parameters");
    on.find("button", "resnet.encoder.stages.3").click();
    expect(on.requests.at(-1)).toBe(`revealModule 0 ${other}`);
  });

  test("a module that is called twice links to its other call", async () => {
    const snapshot = await readCorpus("module_called_twice");
    const scope = snapshot.scopes.findIndex(({ call = 0 }) => call === 1);
    const on = await shown(snapshot, "node", { kind: "module", graph: 0, scope });
    expect(on.text()).toContain("call 2 of 2");
    on.find("button", "call 1").click();
    expect(on.requests).toEqual([
      `revealModule 0 ${snapshot.scopes.findIndex((each) => each.path === snapshot.scopes[scope]?.path)}`,
    ]);
  });

  test("an edge: the value and its uses", async () => {
    const snapshot = await readCorpus("llama32.core");
    const users = [nodeNamed(snapshot, "view_136")];
    const on = await shown(snapshot, "node", { kind: "edge", node: nodeNamed(snapshot, "mm_35"), users });
    expect(on.text()).toContain("f32[16, 64]");
    expect(on.find("dd", "view_136")).toBeDefined();
  });

  test("several nodes are counted by op", async () => {
    const snapshot = await readCorpus("llama32.core");
    const nodes = [...(await new Searcher(snapshot).find("op:mm OR op:bmm"))];
    const on = await shown(snapshot, "node", { kind: "nodes", nodes });
    const counts = [...on.root.querySelectorAll(".exirviz-bar-row")].map((bar) => bar.textContent);
    expect(counts).toEqual(["aten.mm.default225", "aten.bmm.default64"]);
  });

  test("arrows change tabs too", async () => {
    const on = await shown("control_flow", "node");
    const list = on.root.querySelector("[role=tablist]");
    list?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    on.find("[role=tab]", "Cost").click();
    expect(on.requests).toEqual(["code", "cost"]);
  });
});

describe("code", () => {
  test("shows nested graphs with their statements; a line selects", async () => {
    const on = await shown("control_flow", "code");
    const lines = [...on.root.querySelectorAll(".exirviz-row")].map((line) => line.textContent);
    expect(lines).toContain("gt: b8[] = aten.gt.Scalar(sum_1, 0)");
    expect(lines).toContain("getitem: f32[4] = cond[0]");
    expect(lines).toContain("return (sin,)");
    expect(lines.filter((line) => line?.includes("true_graph_0"))).toHaveLength(3);
    on.find(".exirviz-row", "aten.sin").click();
    expect(on.requests).toContain(`reveal ${nodeNamed(on.snapshot, "forward/true_graph_0/sin")}`);
  });

  test("only visible lines are in the page, and the selection is scrolled to", async () => {
    const snapshot = await readCorpus("llama32.core");
    const node = nodeNamed(snapshot, "mm_200");
    const on = await shown(snapshot, "code", { kind: "node", node });
    expect(on.root.querySelectorAll(".exirviz-row").length).toBeLessThan(80);
    expect(on.root.querySelector(".exirviz-row-it")?.textContent).toContain("mm_200: f32[");
    await on.again({ kind: "node", node: nodeNamed(snapshot, "mm_3") });
    expect(on.root.querySelector(".exirviz-row-it")?.textContent).toContain("mm_3: f32[");
  });

  test("a selected module is scrolled to by its heading", async () => {
    const snapshot = await readCorpus("llama32.core");
    const scope = scopeOf(snapshot, "model.layers.20.mlp");
    const on = await shown(snapshot, "code", { kind: "module", graph: 0, scope });
    expect(on.root.querySelector(".exirviz-row-it")?.textContent).toBe("▾mlp LlamaMLP");
  });

  test("a filter keeps the lines that contain it", async () => {
    const on = await shown("llama32.core", "code");
    const field = on.root.querySelector("input");
    if (!field) throw new Error("No filter.");
    field.value = "aten.mm.default(";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settled();
    expect(on.text()).toContain("225 lines");
  });

  test("modules fold, and unfold for the selection", async () => {
    const snapshot = await readCorpus("llama32.core");
    const on = await shown(snapshot, "code");
    on.find("button", "Fold all").click();
    await settled();
    expect(on.root.querySelectorAll(".exirviz-row-source")).toHaveLength(0);
    await on.again({ kind: "node", node: nodeNamed(snapshot, "mm_35") });
    await settled();
    expect(on.root.querySelector(".exirviz-row-it")?.textContent).toContain("mm_35: f32[");
  });
});

describe("signature", () => {
  test("is grouped by kind; mutations are marked", async () => {
    const on = await shown("buffer_mutation.core", "node");
    const groups = [...on.root.querySelectorAll(".exirviz-sig-group")].map((each) => each.textContent);
    expect(groups.slice(0, 4)).toEqual([
      "▾User inputs1",
      "▾User outputs1",
      "▾Mutated buffers4",
      "▾Parameters2",
    ]);
    expect(on.find(".exirviz-sig-spec", "stepsmutated")).toBeDefined();
    on.find(".exirviz-sig-spec", "norm.weight").click();
    expect(on.requests).toContain(`reveal ${nodeNamed(on.snapshot, "p_norm_weight")}`);
  });

  test("a specialised input is its constant", async () => {
    const on = await shown("llama32.core", "node");
    expect(on.find(".exirviz-sig-spec", "use_cache").textContent).toContain("False");
  });

  test("many parameters begin closed; the filter finds one", async () => {
    const on = await shown("llama32.core", "node");
    expect(on.find(".exirviz-sig-group", "Parameters").getAttribute("aria-expanded")).toBe("false");
    const field = on.root.querySelector<HTMLInputElement>("[aria-label='Filter inputs and outputs']");
    if (!field) throw new Error("No filter.");
    field.value = "layers.7.mlp.up_proj";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settled();
    expect(on.root.querySelectorAll(".exirviz-sig-spec")).toHaveLength(1);
    on.find(".exirviz-sig-spec", "model.layers.7.mlp.up_proj.weight").click();
    expect(on.requests.at(-1)).toMatch(/^reveal /);
  });
});
