// @vitest-environment happy-dom
/** The lineage through all stages, and its panel. */
import { describe, expect, test } from "vitest";
import type { StageAccess } from "../../src/panels/actions";
import { NodePanel } from "../../src/panels/node/panel";
import { Stages, trace } from "../../src/stages";
import { nodeNamed, stage as place, ready } from "../panels/stage";
import { stagedProgram, written } from "./staged";

async function sightOf(name: string, stage: string, node: string) {
  const source = stagedProgram(name);
  const stages = new Stages(source);
  const id = source.state.tree.stages.find((each) => each.name === stage)?.id ?? "";
  const snapshot = await stages.snapshot(id);
  return { stages, id, snapshot, node: nodeNamed(snapshot, node) };
}

const lines = (steps: Awaited<ReturnType<typeof trace>>["steps"]): string[] =>
  steps.map(({ title, nodes, evidence, branch }) =>
    [">".repeat(branch), title, nodes.map(({ name }) => name).join(" "), evidence].filter(Boolean).join(": "),
  );

describe("the trace", () => {
  test("goes up to the first stage and down every branch, with the node itself among its siblings", async () => {
    const { stages, id, node } = await sightOf("bert", "core", "addmm_3");
    const { steps, top } = await trace(stages, id, node);
    expect(lines(steps)).toEqual([
      "exported: linear_3",
      "core: view_17 permute_10 addmm_3 view_18: from_node",
      "edge: aten_addmm_default_3: from_node",
    ]);
    expect(steps.map(({ isHere }) => isHere)).toEqual([false, true, false]);
    expect(top.snapshot.name(top.node)).toBe("linear_3");
  });

  test("from the first stage, a branch is beside the line", async () => {
    const { stages, id, node } = await sightOf("bert", "exported", "linear_3");
    const { steps } = await trace(stages, id, node);
    expect(lines(steps).map((text) => text.split(": ").slice(0, 2).join(": "))).toEqual([
      "exported: linear_3",
      "core: view_17 permute_10 addmm_3 view_18",
      "edge: aten_view_copy_default_17 aten_permute_copy_default_10 aten_addmm_default_3 aten_view_copy_default_18",
      ">: functional",
    ]);
  });

  test("reaches into the delegate and down to the instruction", async () => {
    const { stages, id, node } = await sightOf("dynamic_batch", "exported", "linear");
    const { steps } = await trace(stages, id, node);
    const delegated = steps.find(({ title }) => title === "xnnpack");
    expect(delegated?.nodes.some(({ name }) => name.includes("›"))).toBe(true);
    const portable = steps.find(({ title }) => title === "portable");
    expect(portable?.note).toMatch(/^instruction \d/);
  });

  test("for delegated ops, the call of the delegate is the instruction", async () => {
    const { stages, id, node } = await sightOf("dynamic_batch", "exported", "linear");
    const { steps } = await trace(stages, id, node);
    const program = steps.find(({ title }) => title === "executorch");
    expect(program?.nodes.some(({ name }) => name.includes("›"))).toBe(true);
    expect(program?.note).toMatch(/^instruction \d+$/);
  });

  test("a node without an ancestor has a reason", async () => {
    const { stages, id, snapshot } = await sightOf("dynamic_batch", "portable", "alloc");
    const { steps } = await trace(stages, id, nodeNamed(snapshot, "alloc"));
    expect(steps).toHaveLength(1);
    expect(steps[0]?.note).toContain("no counterpart in edge:");
    expect(steps[0]?.note).not.toContain("nobody says");
  });
});

async function shown(
  name: string,
  stage: string,
  node: string,
  change: (sight: StageAccess) => StageAccess = (s) => s,
) {
  const { stages, id, snapshot, ...found } = await sightOf(name, stage, node);
  const on = place();
  const sight: StageAccess = {
    explain: "There is no kernel.",
    trace: (each) => trace(stages, id, each),
    go: (to, each) => on.requests.push(`go ${to} ${each}`),
  };
  const detail = await ready(snapshot);
  const panel = { snapshot, detail, actions: on.actions, stages: change(sight) };
  on.show(<NodePanel {...panel} node={found.node} />);
  const isShown = (): boolean =>
    !!on.root.querySelector(".exirviz-step-stage") || on.text().includes("Cannot read other stages");
  await expect.poll(isShown).toBe(true);
  return { on, stages };
}

describe("the panel", () => {
  test("every stage's nodes are links to it; the source line leads to its first node", async () => {
    const { on, stages } = await shown("bert", "core", "addmm_3");
    const linear = nodeNamed(await stages.snapshot("s0"), "linear_3");
    on.find(".exirviz-trace button", "linear_3").click();
    on.find(".exirviz-step-code button", "self.dense").click();
    expect(on.requests).toEqual([`go s0 ${linear}`, `go s0 ${linear}`]);
    expect(on.root.querySelector(".exirviz-trace [aria-current=step] b")?.textContent).toContain("addmm_3");
    expect(on.find(".exirviz-step-stage", "linear_3").textContent).toContain("exported");
    expect(on.find(".exirviz-step-stage", "aten_addmm_default_3").textContent).toContain("edge · from_node");
  });

  test("facts from the stages are not repeated", async () => {
    const { on } = await shown("bert", "core", "addmm_3");
    const evidence = [...on.root.querySelectorAll(".exirviz-evidence")].map((each) => each.textContent);
    expect(evidence).toEqual([
      "source line 290",
      "torch_fn",
      "exported",
      "core · from_node",
      "edge · from_node",
    ]);
  });

  test("inferred links look and read differently", async () => {
    const guess = written("bert");
    const lineages = JSON.parse(
      JSON.stringify(guess.lineages).replaceAll("from_node", "name"),
    ) as typeof guess.lineages;
    const stages = new Stages(
      new (await import("./staged")).StagedSource({ ...guess, ...(lineages && { lineages }) }),
    );
    const { on } = await shown("bert", "core", "addmm_3", (sight) => ({
      ...sight,
      trace: async (node) => trace(stages, (await stages.record("s1")) ? "s1" : "", node),
    }));
    const steps = [...on.root.querySelectorAll(".is-inferred")];
    expect(steps.length).toBeGreaterThan(0);
    expect(steps[0]?.textContent).toContain("inferred: same name");
  });

  test("without other stages it says so, and shows what the node knows", async () => {
    const { on } = await shown("bert", "core", "addmm_3", (sight) => ({
      ...sight,
      trace: () => Promise.reject(new Error("The kernel is gone.")),
    }));
    expect(on.text()).toContain("Cannot read other stages: The kernel is gone.");
    expect(on.text()).toContain("from_node");
  });
});
