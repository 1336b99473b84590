// @vitest-environment happy-dom
/** The card of an op: loaded when opened, short, and with the reason if it cannot be loaded. */
import { describe, expect, test } from "vitest";
import { AboutOp } from "../../src/panels/node/about_op";
import { asCard, type OpCard, opUses } from "../../src/stages";
import { snapshotOf } from "../programs";
import { stage as place, settled } from "./stage";

const CARD = {
  op: "aten.relu.default",
  type: "op",
  sentence: "Applies <b>relu</b>.",
  source: "torch.relu",
  schema: "aten::relu(Tensor self) -> Tensor",
  tags: [{ name: "pointwise", about: "element by element" }],
  effects: [],
  dialects: [
    { dialect: "aten", allowed: true },
    { dialect: "edge", allowed: null, reason: "ExecuTorch is not loaded" },
    { dialect: "executorch", allowed: false, reason: "aten.relu.out takes its place" },
  ],
  decomposition: "by_name",
  out_variant: "aten.relu.out",
  dtypes: { arguments: ["self", "__ret_0"], combinations: [[["Float", "Half"], ["Float"]]] },
  executorch: true,
  made_of: ["aten.relu_.default (3)"],
};

const nodes = [
  { name: "x", op: "placeholder" as const },
  { name: "relu", target: "relu", inputs: ["x"] },
  { name: "sin", target: "sin", inputs: ["relu"] },
  { name: "relu_1", target: "relu", inputs: ["sin"] },
];

function shown(explain: ((op: string) => Promise<OpCard>) | string | undefined) {
  const on = place();
  const snapshot = snapshotOf({ name: "forward", nodes });
  const node = 1;
  const sight =
    explain === undefined ? undefined : { explain, trace: () => new Promise<never>(() => {}), go() {} };
  on.show(<AboutOp snapshot={snapshot} actions={on.actions} node={node} stages={sight} />);
  const details = on.root.querySelector("details");
  if (!details) throw new Error("There is no card.");
  const open = async (): Promise<void> => {
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    await settled();
  };
  const { graph, position } = snapshot.locate(node);
  return { on, open, snapshot, op: graph.target(position).text };
}

describe("the card of an op", () => {
  test("is not requested before it is opened; then it shows facts, and its uses can be selected", async () => {
    const requests: string[] = [];
    const { on, open, snapshot, op } = shown(async (each) => {
      requests.push(each);
      return asCard(CARD);
    });
    expect(requests).toEqual([]);
    await open();
    expect(requests).toEqual([op]);
    const uses = opUses(snapshot, op);
    expect(uses).toEqual([1, 3]);
    for (const fact of [
      "Applies <b>relu</b>.",
      "torch.relu",
      `${uses.length} calls`,
      "aten.relu.out takes its place",
      "ExecuTorch is not loaded",
      "only when selected",
      "pointwise",
      "self Float Half",
      "result 0 Float",
      "aten.relu_.default (3)",
    ])
      expect(on.text()).toContain(fact);
    expect(on.root.querySelector("b")).toBeNull();
    on.find("button", "calls").click();
    expect(on.requests).toEqual([`select ${JSON.stringify(uses)}`]);
  });

  test("a refusal is shown, and can be tried again", async () => {
    let times = 0;
    const { on, open } = shown(async () => {
      if (++times === 1) throw new Error("'To edge' is running.");
      return asCard(CARD);
    });
    await open();
    expect(on.text()).toContain("'To edge' is running.");
    on.find("button", "Try again").click();
    await settled();
    expect(on.text()).toContain("torch.relu");
  });

  test.each([
    [undefined, "exir_viz.explore(module, x)"],
    ["This page has no kernel.", "This page has no kernel."],
  ])("without a kernel it says how to get one", async (explain, says) => {
    const { on, open } = shown(explain);
    await open();
    expect(on.text()).toContain(says);
  });
});

test("an invalid card is refused", () => {
  for (const change of [
    { op: 3 },
    { tags: [{}] },
    { dialects: [{ dialect: "edge" }] },
    { dtypes: { arguments: "x" } },
  ])
    expect(() => asCard({ ...CARD, ...change })).toThrow("unexpected format");
  expect(() => asCard(undefined)).toThrow("unexpected format");
  expect(asCard({ op: "aten.mm.default", type: "op" }).op).toBe("aten.mm.default");
});
