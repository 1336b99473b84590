// @vitest-environment happy-dom
/** The strip and the forms below it show the state, also as text, and request what is clicked. */
import { describe, expect, test } from "vitest";
import type { StageActions, StageRecord, StageTree } from "../../src/stages";
import { Busy, Deleted, Failed, Pill, StageDetails, Steps, Strip } from "../../src/stages/view";
import { stage as place, settled } from "../panels/stage";

const root: StageRecord = {
  id: "s0",
  name: "exported",
  parent: null,
  state: "ready",
  dialect: "aten.training",
  calls: 310,
  step: { kind: "start", title: "" },
};
const core: StageRecord = {
  id: "s1",
  name: "core",
  parent: "s0",
  state: "ready",
  dialect: "aten.core",
  calls: 875,
  change: { kept: 187, added: 688, removed: 123 },
  unshared_bytes: 2_500_000,
  step: { kind: "decompose", title: "run_decompositions", seconds: 1.72, options: { ops: "core" } },
  offers: [
    { kind: "decompose", title: "decompose", about: "write ops as simpler ones", reason: "all are core" },
    { kind: "executorch", title: "executorch", about: "what the runtime runs", reason: "it is not edge" },
    { kind: "backend", title: "XNNPACK", about: "to a backend", options: [] },
    {
      kind: "edge",
      title: "edge",
      about: "to_edge",
      options: [{ name: "check_ir", title: "check", type: "flag" }],
    },
  ],
};
const failed: StageRecord = {
  id: "s2",
  name: "edge\u202e",
  parent: "s0",
  state: "failed",
  step: { kind: "edge", title: "to_edge" },
  failure: {
    type: "SpecViolationError",
    reason: "<b>aten.batch_norm.default</b> is not Core ATen.",
    message: "the whole of it",
    findings: [
      {
        text: "not Core ATen",
        node: "batch_norm",
        op: "aten.batch_norm.default",
        count: 53,
        remedy: "decompose first",
        frame: { file: "/home/me/net.py", line: 12, function: "forward", code: "x = self.bn(x)" },
      },
      { text: "not Core ATen", node: "gone", op: "aten.dropout.default" },
    ],
    fixes: [
      { title: "skip the rules", options: { check_ir: false }, skips_checks: true },
      { title: "decompose, then edge", options: { first: "core" } },
    ],
  },
};
const tree: StageTree = { stages: [root, core, failed] };
const REASON = "There is no kernel.";
const actions: StageActions = {
  run: async () => "s9",
  stop: () => undefined,
  rename: async () => undefined,
  profile: async () => undefined,
  drop: async () => undefined,
  restore: async () => undefined,
  save: async ({ path }) => ({ path, size: 1 }),
  ops: async () => [],
  inputs: async () => [],
  explain: async () => undefined,
  preview: async () => new Uint8Array(),
};

function strip(at: string, can: StageActions | string = actions, shown: StageTree = tree) {
  const on = place();
  on.show(
    <Strip
      tree={shown}
      at={at}
      actions={can}
      isStepping={false}
      onGo={(id) => on.requests.push(`go ${id}`)}
      onSteps={() => on.requests.push("steps")}
      onCompare={() => on.requests.push("compare")}
    />,
  );
  return on;
}

const press = (on: { root: HTMLElement }, key: string): void => {
  const here = on.root.querySelector<HTMLElement>("[aria-selected=true]");
  here?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
};

describe("the strip", () => {
  test("shows how much is delegated, and in its title how many ops", () => {
    const share = "70% on XNNPACK";
    const xnnpack: StageRecord = {
      ...core,
      name: "xnnpack",
      dialect: "backend",
      calls: 9,
      on_cpu: 6,
      delegated: 228,
      share,
    };
    const on = strip("s1", actions, { stages: [root, xnnpack] });
    const pill = on.find("[role=treeitem]", share);
    expect(pill.getAttribute("aria-label")).toContain("6 ops on the CPU, 228 delegated");
    expect(pill.title).toContain("6 ops on the CPU, 228 delegated");
    expect(pill.title).toContain(
      "one that moved into a delegate counts as removed, and a delegate as one call",
    );
    const one = strip("s1", actions, { stages: [root, { ...xnnpack, on_cpu: 1 }] });
    expect(one.find("[role=treeitem]", share).title).toContain("1 op on the CPU, 228 delegated");
  });

  test("shows name and ops, and all of it as a sentence and in its title", () => {
    const on = strip("s1");
    for (const fact of ["core", "875 ops"]) expect(on.text()).toContain(fact);
    const pill = on.find("[role=treeitem]", "875 ops");
    expect(pill.getAttribute("aria-label")).toBe(
      "core, Core ATen, 875 ops, 688 calls added, 123 removed, 1.72 s",
    );
    expect(pill.title).toContain("1.72 s");
    expect(pill.title).toContain("+688 −123: calls of ops added and removed by this step");
    expect(pill.title).toContain("an op that became another counts as both");
    expect(pill.title).not.toContain("delegate");
    expect(pill.getAttribute("aria-selected")).toBe("true");
    expect(pill.getAttribute("aria-level")).toBe("2");
  });

  test("one stage is reached by Tab, the others by arrows", () => {
    const on = strip("s1");
    const stops = [...on.root.querySelectorAll<HTMLElement>("[role=treeitem]")].map((each) => each.tabIndex);
    expect(stops).toEqual([-1, 0, -1]);
    for (const key of ["ArrowLeft", "ArrowDown", "ArrowRight", "Home"]) press(on, key);
    expect(on.requests).toEqual(["go s0", "go s2", "go s0"]);
  });

  test("a failed stage shows its error; hidden characters in its name are visible", () => {
    const pill = strip("s0").find("[role=treeitem]", "✕");
    expect(pill.classList.contains("is-failed")).toBe(true);
    expect(pill.textContent).toContain("\\u202e");
    expect(pill.getAttribute("aria-label")).toContain("failed: <b>aten.batch_norm");
  });

  test("what goes on from a stage is behind two buttons", () => {
    const on = strip("s1");
    on.find("button", "+ Step").click();
    on.find("button", "Compare").click();
    expect(on.requests).toEqual(["steps", "compare"]);
    expect(on.find("button", "+ Step").classList.contains("is-idle")).toBe(false);
  });

  test("without a kernel, the steps say why none can run", () => {
    const step = strip("s1", REASON).find("button", "+ Step");
    expect(step.title).toBe(REASON);
    expect(step.classList.contains("is-idle")).toBe(true);
  });
});

describe("all steps", () => {
  const steps = (reason: string) => {
    const on = place();
    const note = on.requests;
    on.show(
      <Steps
        record={core}
        reason={reason}
        onOffer={({ kind }) => note.push(kind)}
        onClose={() => note.push("close")}
      />,
    );
    return on;
  };

  test("an unavailable step is greyed, has a reason, and does nothing", () => {
    const on = steps("");
    const cannot = on.find("button", "executorch");
    expect(cannot.getAttribute("aria-disabled")).toBe("true");
    expect(cannot.getAttribute("aria-label")).toBe("executorch, unavailable: it is not edge");
    cannot.click();
    on.find("button", "+ edge").click();
    expect(on.requests).toEqual(["edge"]);
    expect(on.text()).toContain("Unavailable: it is not edge");
  });

  test("a step that only Python can run says so once", () => {
    const about = "Run your own passes. Python only: stage.transform(my_pass).";
    const offers = [{ kind: "transform", title: "Transform", about }] as const;
    const on = place();
    on.show(<Steps record={{ ...core, offers }} reason="" onOffer={() => {}} onClose={() => {}} />);
    expect(on.text().split("Python only").length - 1).toBe(1);
  });

  test("why nothing can be run is said once, and not again at each step", () => {
    const on = steps("it is not edge");
    expect(on.text().split("it is not edge").length - 1).toBe(1);
  });

  test("what cannot be done is folded below what can", () => {
    const on = steps("");
    const folded = [...on.root.querySelectorAll("details .exirviz-offer")].map((each) => each.textContent);
    expect(folded).toEqual(["+ decompose", "+ executorch"]);
    expect(on.find("summary", "2 unavailable steps")).toBeTruthy();
  });

  test("if there is no next step, actions for the program come first", () => {
    const on = place();
    const done: string[] = [];
    const action = (title: string, reason = "") => ({
      title,
      about: `about ${title}`,
      reason,
      run: () => done.push(title),
    });
    const finals = [action("Save .pte…"), action("Compare with edge", "no kernel")];
    const last: StageRecord = { ...core, dialect: "executorch", offers: core.offers?.slice(0, 2) ?? [] };
    on.show(
      <Steps record={last} reason="" finals={finals} onOffer={() => done.push("offer")} onClose={() => {}} />,
    );
    on.find("button", "Save .pte…").click();
    on.find("button", "Compare with edge").click();
    expect(done).toEqual(["Save .pte…"]);
    const first = on.root.querySelector(".exirviz-offer");
    expect(first?.textContent).toBe("Save .pte…");
    expect(on.find("button", "Compare with edge").title).toBe("no kernel");
  });

  test("an action that needs no kernel works without one", () => {
    const on = place();
    const done: string[] = [];
    const finals = [
      { title: "Save .pte…", about: "write it", reason: REASON, run: () => done.push("save") },
      { title: "Compare with edge", about: "show both", reason: "", run: () => done.push("compare") },
    ];
    on.show(<Steps record={core} reason={REASON} finals={finals} onOffer={() => {}} onClose={() => {}} />);
    for (const { title } of finals) on.find("button", title).click();
    expect(done).toEqual(["compare"]);
    expect(on.find("button", "Save .pte…").closest("details")).not.toBeNull();
    expect(on.text().split(REASON).length - 1).toBe(1);
  });

  test("without a kernel all are greyed with that reason", () => {
    const on = steps(REASON);
    const offers = [...on.root.querySelectorAll(".exirviz-offer")];
    expect(offers.every((each) => each.getAttribute("aria-disabled") === "true")).toBe(true);
    expect(on.text()).toContain(REASON);
  });
});

describe("a failed step", () => {
  const shown = (reason: string) => {
    const on = place();
    on.show(
      <Failed
        record={failed}
        parent={root}
        reason={reason}
        has={(node) => node === "batch_norm"}
        onNode={(node) => on.requests.push(`node ${node}`)}
        onFix={({ options }) => on.requests.push(`fix ${JSON.stringify(options)}`)}
        onBack={() => on.requests.push("back")}
      />,
    );
    return on;
  };

  test("shows what failed, where and what next; its text is text", () => {
    const on = shown("");
    for (const fact of [
      "to_edge failed",
      "SpecViolationError",
      "<b>aten.batch_norm.default</b>",
      "×53",
      "net.py:12",
      "x = self.bn(x)",
      "→ decompose first",
    ])
      expect(on.text()).toContain(fact);
    expect(on.root.querySelector("b")).toBeNull();
    expect(on.root.querySelector("[role=alert]")).not.toBeNull();
  });

  test("node and source line lead to the node, if the parent has it", () => {
    const on = shown("");
    on.find("button", "batch_norm").click();
    on.find("button", "net.py:12").click();
    expect(on.requests).toEqual(["node batch_norm", "node batch_norm"]);
    expect([...on.root.querySelectorAll("button")].some((each) => each.textContent === "gone")).toBe(false);
  });

  test("a fix is one click, and is greyed with the reason if no step can be run", () => {
    const on = shown("");
    on.find("button", "decompose, then edge").click();
    on.find("button", "Back to exported").click();
    expect(on.requests).toEqual(['fix {"first":"core"}', "back"]);
    const fix = shown(REASON).find("button", "decompose, then edge") as HTMLButtonElement;
    expect([fix.disabled, fix.title]).toEqual([true, REASON]);
  });

  test("a fix that skips checks is neither first nor highlighted", () => {
    const buttons = [...shown("").root.querySelectorAll(".exirviz-dock-row button")];
    expect(buttons.map((one) => one.textContent)).toEqual([
      "decompose, then edge",
      "skip the rules",
      "Back to exported",
    ]);
    expect(buttons.map((one) => one.classList.contains("is-first"))).toEqual([true, false, false]);
  });
});

test("a stage that was lowered without verification is marked", () => {
  const on = place();
  on.show(<Pill record={{ ...core, unverified: true }} isHere={false} level={1} onGo={() => undefined} />);
  expect(on.text()).toContain("unverified");
  const pill = on.root.querySelector("button");
  expect(pill?.title).toContain("Core ATen, unverified");
  expect(pill?.getAttribute("aria-label")).toContain("unverified");
});

test("a running step shows what it does and for how long, and can be stopped once", async () => {
  const on = place();
  const progress = { stage: "s1", title: "to_edge", text: "verifying", fraction: 0.4, seconds: 12.3 };
  on.show(<Busy progress={progress} of="core" onStop={() => on.requests.push("stop")} />);
  expect(on.text()).toContain("to_edge from core");
  expect(on.text()).toContain("verifying");
  expect(on.text()).toContain("12");
  expect(on.root.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("40");
  const title = (label: string): string | null => on.find("button", label).getAttribute("title");
  expect(title("Stop")).toContain("nothing is kept");
  on.find("button", "Stop").click();
  await settled();
  on.show(<Busy progress={{ ...progress, text: "linking" }} of="core" onStop={() => undefined} />);
  expect((on.find("button", "Stopping…") as HTMLButtonElement).disabled).toBe(true);
  expect(on.requests).toEqual(["stop"]);
  on.show(<p />);
  on.show(<Busy progress={{ ...progress, title: "profile" }} onStop={() => undefined} />);
  expect(title("Stop")).toBe("Stop and keep what was measured");
});

const CODE = "import torch\n\nprogram = program.run_decompositions()\n";
const REFUSED = "edge = to_edge(program)\nexecutorch = edge.to_executorch()\n";

/** What is shown about a stage with two descendants; a file that exists is not replaced. */
function about(reason: string, record = core) {
  const on = place();
  const note = (what: string): number => on.requests.push(what);
  on.show(
    <StageDetails
      record={record}
      below={2}
      reason={reason}
      has={() => false}
      onNode={note}
      onRename={(name) => note(`rename ${name}`)}
      onDrop={() => note("drop")}
      onCopy={async (text) => {
        note(`copy ${text}`);
        if (text === REFUSED) throw new Error("There is no clipboard.");
      }}
      onSave={async ({ of, path, replace }) => {
        note(`save ${of} ${path} ${replace}`);
        if (!replace) throw new Error(`${path} exists already.`);
        return { path: `/tmp/${path}`, size: 2048 };
      }}
      onClose={() => note("close")}
    />,
  );
  return on;
}

test("about a stage: its step, its content, its name, its deletion", async () => {
  const on = about("");
  await settled();
  for (const fact of ["Core ATen", "2.38 MB", 'ops="core"', "Delete 3 stages (frees 2.38 MB or more)"])
    expect(on.text()).toContain(fact);
  const field = on.root.querySelector("input");
  if (!field) throw new Error("There is no field for the name.");
  field.value = "simpler";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await settled();
  on.root.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  on.find("button", "Delete 3 stages").click();
  expect(on.requests).toEqual(["rename simpler", "drop"]);
  expect(on.text()).not.toContain(".pte"); // only ExecuTorch's stage has one
  on.requests.length = 0;
  on.root
    .querySelectorAll("form")[1]
    ?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  await settled();
  on.find("button", "Replace").click();
  await settled();
  expect(on.requests).toEqual(["save session session.exirviz false", "save session session.exirviz true"]);
  expect(on.text()).toContain("Wrote /tmp/session.exirviz (2 KB)");
});

test("the code of a stage is copied, with and without a kernel", async () => {
  for (const reason of ["", REASON]) {
    const on = about(reason, { ...core, code: CODE });
    await settled();
    on.find("button", "Copy as code").click();
    await settled();
    expect(on.requests).toEqual([`copy ${CODE}`]);
    expect(on.text()).toContain("Copied");
    expect(on.root.querySelector("pre")).toBeNull();
  }
});

test("without a clipboard the code is shown", async () => {
  const on = about("", { ...core, code: REFUSED });
  await settled();
  on.find("button", "Copy as code").click();
  await settled();
  expect(on.root.querySelector("pre")?.textContent).toBe(REFUSED);
  expect(on.text()).toContain("Select the text");
});

test("a stage without code has nothing to copy", () => {
  expect(about("").text()).not.toContain("Copy as code");
});

test("what was deleted is named, with a button to put it back", () => {
  const on = place();
  on.show(<Deleted names={["edge", "executorch", "core"]} onUndo={() => on.requests.push("undo")} />);
  expect(on.text()).toContain("Deleted edge and 2 more");
  on.find("button", "Undo").click();
  expect(on.requests).toEqual(["undo"]);
  on.show(<Deleted names={["edge"]} onUndo={() => undefined} />);
  expect(on.text()).not.toContain("more");
});

test("deleting a stage is not in the row that renames it", async () => {
  const on = about("");
  await settled();
  const [rename, erase] = ["Rename", "Delete 3 stages"].map((label) =>
    on.find("button", label).closest(".exirviz-about-row"),
  );
  expect(rename).not.toBe(erase);
  expect(erase?.nextElementSibling).toBeNull();
});

test("a loaded stage has no .pte to save", async () => {
  const [ready, loaded] = (["ready", "loaded"] as const).map((state) =>
    about("", { ...core, dialect: "executorch", state }),
  );
  await settled();
  expect(ready?.text()).toContain("Save .pte");
  expect(loaded?.text()).not.toContain("Save .pte");
  expect(loaded?.text()).toContain("Save session");
});

test("about a stage without a kernel: the reason, and nothing that cannot work", async () => {
  const on = about(REASON);
  await settled();
  expect(on.text()).toContain(REASON);
  expect(on.text()).not.toContain("in memory");
  expect(on.root.querySelectorAll("input, form")).toHaveLength(0);
});
