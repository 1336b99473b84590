/** Scenes of stages: the strip with branches, and what opens below it. */
import { useState } from "preact/hooks";
import type { StageActions, StageRecord, StageTree } from "../src/stages";
import { Busy, Failed, StageDetails, Steps, Strip } from "../src/stages/view";
import type { Scene } from "./scenes";

const nothing = (): void => undefined;
const ACTIONS: StageActions = {
  run: async () => "s0",
  stop: nothing,
  rename: async () => undefined,
  profile: async () => undefined,
  drop: async () => undefined,
  restore: async () => undefined,
  save: async ({ path }) => ({ path, size: 0 }),
  ops: async () => [],
  inputs: async () => [],
  explain: async () => undefined,
  preview: async () => new Uint8Array(),
};
const REASON = "This page has no kernel.";

function made(
  id: string,
  parent: string | null,
  name: string,
  rest: Partial<StageRecord> & { seconds?: number } = {},
): StageRecord {
  const { seconds = 0, ...more } = rest;
  return { id, parent, name, state: "ready", step: { kind: "start", title: name, seconds }, ...more };
}

const CORE = made("s2", "s0", "core", {
  dialect: "aten.core",
  calls: 3616,
  change: { kept: 1592, added: 2024, removed: 493 },
  seconds: 7.8,
  unshared_bytes: 13_400_000,
  step: {
    kind: "decompose",
    title: "run_decompositions",
    options: { ops: "core" },
    seconds: 7.8,
    notices: [
      { code: "warning", text: "UserWarning: register_constant() on Enum subclasses is deprecated." },
    ],
  },
  findings: [{ text: "has no decomposition and stays", op: "aten.sym_size.int", count: 3 }],
  offers: [
    {
      kind: "decompose",
      title: "decompose",
      about: "Write ops as simpler ones.",
      reason: "all are core already",
    },
    {
      kind: "edge",
      title: "edge",
      about: "Lower to ExecuTorch's edge dialect.",
      options: [{ name: "check_ir", title: "check", type: "flag" }],
    },
    {
      kind: "quantize",
      title: "quantize",
      about: "Prepare, calibrate, convert (PT2E).",
      reason: "decomposed already: quantize what was exported",
    },
    { kind: "backend", title: "XNNPACK", about: "Hand parts of the program to a backend." },
    {
      kind: "executorch",
      title: "executorch",
      about: "Make what the runtime runs.",
      reason: "it is not edge yet",
    },
  ],
});

const FAILED = made("s6", "s0", "edge", {
  state: "failed",
  step: { kind: "edge", title: "to_edge", seconds: 3.2 },
  failure: {
    type: "SpecViolationError",
    reason: "Operator torch._ops.aten.batch_norm.default is not in Core ATen opset.",
    message:
      "SpecViolationError: Operator torch._ops.aten.batch_norm.default is not in Core ATen opset.\n(long)",
    findings: [
      {
        text: "is not a Core ATen op",
        node: "batch_norm",
        op: "aten.batch_norm.default",
        count: 53,
        frame: { file: "/home/me/resnet.py", line: 146, function: "forward", code: "out = self.bn1(out)" },
        remedy: "Decompose to Core ATen first, or let the model be in eval mode.",
      },
      { text: "is not a Core ATen op", node: "dropout", op: "aten.dropout.default", count: 2 },
    ],
    fixes: [{ title: "decompose to Core ATen, then edge", options: {} }],
  },
});

const TREE: StageTree = {
  stages: [
    made("s0", null, "exported", { dialect: "aten.training", calls: 2085 }),
    made("s1", "s0", "functional", {
      dialect: "aten",
      calls: 2010,
      change: { kept: 2010, removed: 75 },
      seconds: 5.7,
    }),
    CORE,
    made("s3", "s2", "edge", {
      dialect: "edge",
      calls: 3480,
      change: { kept: 3300, added: 180, removed: 316 },
      seconds: 48,
    }),
    made("s4", "s3", "xnnpack", {
      dialect: "backend",
      calls: 1332,
      change: { kept: 900, added: 432, removed: 2580 },
      seconds: 198,
    }),
    made("s5", "s3", "portable, named at length by a user", {
      dialect: "executorch",
      calls: 5967,
      change: { kept: 3480, added: 2487 },
      seconds: 14,
    }),
    FAILED,
  ],
};

function Live({ can }: { can: StageActions | string }) {
  const [at, go] = useState("s2");
  return (
    <Strip
      tree={TREE}
      at={at}
      actions={can}
      isStepping={false}
      onGo={go}
      onSteps={nothing}
      onCompare={nothing}
    />
  );
}

const bar = (can: StageActions | string) => () => (
  <header class="exirviz-bar has-stages">
    <Live can={can} />
  </header>
);

const links = { has: (node: string) => node === "batch_norm", onNode: nothing };

export const STAGE_SCENES: readonly Scene[] = [
  { name: "stages", program: "llama", show: bar(ACTIONS), size: "wide" },
  { name: "stages: no kernel", program: "llama", show: bar(REASON), size: "wide" },
  {
    name: "stages: failed",
    program: "llama",
    show: () => (
      <Failed record={FAILED} parent={TREE.stages[0]} reason="" {...links} onFix={nothing} onBack={nothing} />
    ),
    size: "wide",
  },
  {
    name: "stages: busy",
    program: "llama",
    show: () => (
      <>
        <Busy
          progress={{ stage: "s2", title: "to_edge", text: "verifying the edge dialect", seconds: 31 }}
          onStop={nothing}
        />
        <Busy
          of="core"
          progress={{
            stage: "s2",
            title: "profile",
            text: "Measuring: 120 of 499",
            fraction: 0.24,
            seconds: 2,
          }}
          onStop={nothing}
        />
        <Busy
          progress={{ stage: "s2", title: "calibrate", text: "batch 3 of 8", fraction: 0.375, seconds: 4 }}
          onStop={nothing}
        />
      </>
    ),
    size: "wide",
  },
  {
    name: "stages: steps",
    program: "llama",
    show: () => <Steps record={CORE} reason="" onOffer={nothing} onClose={nothing} />,
    size: "wide",
  },
  {
    name: "stages: about",
    program: "llama",
    show: () => (
      <StageDetails
        record={CORE}
        below={3}
        reason=""
        {...links}
        onRename={nothing}
        onDrop={nothing}
        onCopy={async () => {}}
        onSave={ACTIONS.save}
        onClose={nothing}
      />
    ),
    size: "wide",
  },
];
