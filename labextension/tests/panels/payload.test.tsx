// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { PayloadRow, PayloadSection } from "../../src/panels/payload/section";
import type { Detail, Payload, PayloadOp } from "../../src/snapshot";
import type { DetailState } from "../../src/ui/actions";
import { delegatedProfile } from "../profile/delegated";
import { stage } from "./stage";

const { snapshot } = delegatedProfile("cpu").profile;
const DELEGATE = 1;

/** What panels show of delegate 1 with a payload. */
function shown(payload: Payload | undefined, node?: number) {
  const at = stage();
  const graphs = snapshot.graphs.map((_, number) => (number === DELEGATE && payload ? { payload } : {}));
  const detail = { state: "ready", detail: { graphs } as unknown as Detail } as DetailState;
  const props = { snapshot, actions: at.actions, detail };
  at.show(
    node === undefined ? (
      <PayloadSection {...props} graph={DELEGATE} />
    ) : (
      <PayloadRow {...props} node={node} />
    ),
  );
  return at;
}

const call = Array.from({ length: snapshot.graph(DELEGATE).count }, (_, at) => at).find(
  (at) => snapshot.graph(DELEGATE).op(at) === "call_function",
) as number;

const PAYLOAD: Payload = {
  format: "XNNPACK graph",
  reader: "exir-viz",
  tensors: [
    { name: "tensor_0", dtype: "float32", shape: [1, 8], role: "input" },
    {
      name: "tensor_1",
      dtype: "qcint8",
      shape: [4, 8],
      role: "constant",
      bytes: 32,
      quantization: { scheme: "per channel", scales: [0.5, 0.25], count: 4, axis: 0 },
    },
    {
      name: "tensor_2",
      dtype: "qint8",
      shape: [1, 4],
      role: "output",
      quantization: { scheme: "per tensor", scales: [0.125], zero_points: [-3], count: 1 },
    },
  ],
  ops: [
    {
      type: "FullyConnected",
      inputs: [0, 1],
      outputs: [2],
      options: [{ name: "output_min", text: "0" }],
      handle: 7,
      nodes: [call],
      evidence: "debug handle",
    },
  ],
};

test("ops show their tensors, their quantization, and the nodes they were made from with the evidence", () => {
  const at = shown(PAYLOAD);
  const text = at.text();
  expect(text).toContain("1 FullyConnected");
  expect(text).toContain("← input f32[1, 8]");
  expect(text).toContain("← constant, per channel, 4 scales, axis 0 qcint8[4, 8]");
  expect(text).toContain("→ per tensor, scale 0.1250, zero point -3");
  expect(text).toContain("output_min 0");
  expect(text).toContain("by debug handle 7");
  expect(text).toContain("1 tensor, 32 B");
  at.find(".exirviz-payload-ops button", "").click();
  expect(at.requests).toContain(`reveal ${snapshot.graph(DELEGATE).base + call}`);
});

test("several nodes and ops with one debug handle: which is which is not claimed", () => {
  const nodes = [call, call + 1];
  const ops = [0, 1].map(() => ({ ...(PAYLOAD.ops?.[0] as PayloadOp), nodes }));
  const at = shown({ ...PAYLOAD, ops }, snapshot.graph(DELEGATE).base + call);
  expect(at.text()).toContain("some of these:");
  expect(at.find("[title*='does not say which op']", "").title).toContain("2 nodes and these ops");
});

test("a node says which op of the payload was made from it", () => {
  const base = snapshot.graph(DELEGATE).base;
  expect(shown(PAYLOAD, base + call).text()).toContain("1 FullyConnected qint8[1, 4]");
  expect(shown(PAYLOAD, 0).text()).toBe("");
});

test("a payload that was not read says why, and one of an unknown format that nothing reads it", () => {
  expect(shown({ format: "", reader: "exir-viz", problem: "xnodes[2]: it is odd" }).text()).toContain(
    "Not readable: xnodes[2]: it is odd",
  );
  expect(shown(undefined).text()).toContain("No installed package reads this backend's format");
});
