// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { FindingsPanel, NodeFindings } from "../../src/panels/findings/panel";
import { NONE, type PageFindings, type Snapshot } from "../../src/snapshot";
import { settled, stage } from "./stage";

const FINDINGS: PageFindings = {
  dialect: "aten",
  errors: 2,
  warnings: 0,
  hints: 1,
  groups: [
    {
      rule: "no-mutation",
      severity: "error",
      title: "No operator writes to an argument",
      section: "torch.export: Overview",
      url: "https://example.org",
      remedy: "Call <b>run_decompositions</b>.",
      nodes: [0, 1],
      messages: ["relu writes.", "add writes."],
    },
    {
      rule: "fixed-dimension",
      severity: "hint",
      title: "A dynamic dimension has one possible size",
      section: "torch.export: Dim Hints",
      url: "https://example.org",
      remedy: "Make it static.",
      nodes: [NONE],
      messages: ["The dimension n is 4."],
    },
  ],
};
const NAMES = ["relu", "add"];
const snapshot = {
  skeleton: { page: { version: 1, findings: FINDINGS } },
  id: (node: number) => `forward/${NAMES[node]}`,
  name: (node: number) => NAMES[node],
  title: (node: number) => NAMES[node],
} as unknown as Snapshot;
const panel = (at: ReturnType<typeof stage>, of: Snapshot = snapshot) =>
  at.show(
    <FindingsPanel
      snapshot={of}
      actions={at.actions}
      selection={{ kind: "nothing" }}
      detail={{ state: "busy" }}
    />,
  );

it("lists rules with their findings, remedies and sections", () => {
  const at = stage();
  panel(at);
  expect(at.text()).toContain("2 errors");
  expect(at.text()).toContain("relu writes.");
  expect(at.text()).toContain("→ Call <b>run_decompositions</b>.");
  expect(at.text()).toContain("The dimension n is 4.");
  expect(at.root.querySelector("b")).toBeNull();
});

it("selects the nodes of a rule, and shows one", () => {
  const at = stage();
  panel(at);
  at.find("button", "No operator writes").click();
  at.find("button", "add").click();
  expect(at.requests.filter((one) => !one.startsWith("hover"))).toEqual(["select [0,1]", "reveal 1"]);
  const whole = at.find("button", "A dynamic dimension") as HTMLButtonElement;
  expect(whole.disabled).toBe(true);
});

it("hides the severities that a button names", async () => {
  const at = stage();
  panel(at);
  at.find("button", "2 errors").click();
  await settled();
  expect(at.text()).not.toContain("relu writes.");
  expect(at.find("button", "2 errors").getAttribute("aria-pressed")).toBe("false");
});

it("shows the findings of a node on its panel", () => {
  const at = stage();
  at.show(<NodeFindings snapshot={snapshot} node={1} />);
  expect(at.text()).toContain("add writes.");
  expect(at.text()).not.toContain("relu writes.");
});

it("says which rules were not checked, and claims no more", () => {
  const at = stage();
  const unchecked = "Not checked: plan-overlap: A .pte does not say until when a value is used.";
  const findings = { ...FINDINGS, errors: 0, hints: 0, groups: [], unchecked };
  panel(at, { ...snapshot, skeleton: { page: { version: 1, findings } } } as unknown as Snapshot);
  expect(at.text()).toContain("None: the program keeps all rules that were checked.");
  expect(at.text()).toContain(unchecked);
});
