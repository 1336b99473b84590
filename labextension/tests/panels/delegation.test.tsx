// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { DelegationPanel, fixFirst } from "../../src/panels/delegation/panel";
import { ProgramPanel } from "../../src/panels/selection_panels";
import type { Profile, ProfileAccess } from "../../src/profile";
import { type CpuRow, type Delegation, PAGE_VERSION, Snapshot } from "../../src/snapshot";
import { delegatedProfile } from "../profile/delegated";
import { stage } from "./stage";

const ROW = { module: "", ops: 2, bytes_in: 24, bytes_out: 24 };

/** Two delegated ops and `cumsum` on the CPU, and their times. */
function panel(profile?: Profile, reason = "no kernel"): string {
  const given = profile?.snapshot ?? delegatedProfile("cpu").profile.snapshot;
  const cumsum = given.graph(0).position("cumsum") ?? -1;
  const delegation: Delegation = {
    ops: 3,
    delegated: 2,
    percent: 67,
    delegates: [{ ...ROW, graph: 1, name: "XNNPACK 1" }],
    cpu: [{ op: "aten.cumsum.default", reason, nodes: [cumsum], delegates: 1, bytes: 24 }],
  };
  const page = { version: PAGE_VERSION, delegation };
  const snapshot = new Snapshot({ ...given.skeleton, page }, () => Promise.reject(new Error("none")));
  const at = stage();
  at.show(
    <DelegationPanel
      snapshot={snapshot}
      actions={at.actions}
      selection={{ kind: "nothing" }}
      detail={{ state: "busy" }}
      costs={{ profile } as ProfileAccess}
    />,
  );
  return at.text();
}

test("without a profile rows have no times", () => {
  expect(panel()).not.toMatch(/of the run|timed/);
  expect(panel()).toContain("no kernel");
});

test("each row has its share of a run: ops on the CPU, and a delegate by its call", () => {
  const evidenceText = panel(delegatedProfile("cpu").profile);
  const { profile } = delegatedProfile("cpu");
  expect(profile.whole).toBe(260_500);
  expect(evidenceText).toContain("7.7% of the run, 20 µs");
  expect(evidenceText).toContain("15.4% of the run, 40 µs");
});

test("an untimed op is not 0%", () => {
  const evidenceText = panel(delegatedProfile("executorch").profile);
  expect(evidenceText).toContain("not timed");
  expect(evidenceText).not.toContain("0%");
});

test("where no reason is known this is said once, with what to do", () => {
  expect(panel(undefined, "")).toContain("No reasons recorded. Lower the model in a Session to see why.");
  expect(panel(undefined, "")).not.toContain("No reason recorded");
  expect(panel()).not.toContain("recorded");
});

test("the kinds of op that touch the most delegates are the ones to fix first", () => {
  const given = delegatedProfile("cpu").profile.snapshot;
  const nodes = [given.graph(0).position("cumsum") ?? -1];
  const row = { reason: "no kernel", nodes, delegates: 1, bytes: 24 };
  const cpu: CpuRow[] = ["a", "b", "c", "d"].map((op) => ({ ...row, op }));
  const delegation: Delegation = { ops: 6, delegated: 2, percent: 33, delegates: [], cpu };
  const skeleton = { ...given.skeleton, page: { version: PAGE_VERSION, delegation } };
  const snapshot = new Snapshot(skeleton, () => Promise.reject(new Error("none")));
  const at = stage();
  const props = { selection: { kind: "nothing" }, detail: { state: "busy" }, costs: undefined } as const;
  at.show(<DelegationPanel snapshot={snapshot} actions={at.actions} {...props} />);
  const opsOf = (title: string) =>
    [...at.root.querySelectorAll(`[aria-label="${title}"] .exirviz-report-head button`)].map((button) =>
      button.textContent?.trim(),
    );
  expect(opsOf("Fix first")).toEqual(["a", "b", "c"]);
  expect(opsOf("Other ops on the CPU")).toEqual(["d"]);
  const copy = { ...row, op: "copy_", reason: "to_executorch adds it", is_write_back: true };
  const written = { ...delegation, cpu: [{ ...row, op: "a", reason: "" }, copy] };
  const page = { version: PAGE_VERSION, delegation: written };
  const other = new Snapshot({ ...given.skeleton, page }, () => Promise.reject(new Error("none")));
  at.show(<DelegationPanel snapshot={other} actions={at.actions} {...props} />);
  expect(opsOf("Fix first")).toEqual(["a"]);
  expect(opsOf("Other ops on the CPU")).toEqual(["copy_"]);
  expect(at.text()).toContain("No reasons recorded");
  expect(fixFirst({ ...written, cpu: [copy] })).toEqual([]);
});

test("before anything is selected the panel says what runs where, and why", () => {
  const { snapshot: given } = delegatedProfile("cpu").profile;
  const at = stage();
  const nodes = [given.graph(0).position("cumsum") ?? -1];
  const delegation: Delegation = {
    ops: 3,
    delegated: 2,
    percent: 67,
    delegates: [{ ...ROW, graph: 1, name: "XNNPACK 1" }],
    cpu: [{ op: "aten.cumsum.default", reason: "no kernel", nodes, delegates: 1, bytes: 24 }],
  };
  const state = { tensors: 0, bytes: 0, delegates: 1 };
  const skeleton = { ...given.skeleton, page: { version: PAGE_VERSION, delegation, state } };
  const snapshot = new Snapshot(skeleton, () => Promise.reject(new Error("none")));
  at.show(<ProgramPanel snapshot={snapshot} actions={at.actions} />);
  expect(at.text()).toContain("backend2 ops (67%) in 1 delegate");
  expect(at.text()).toContain("stateweights in 1 delegate, of unknown size");
  const known = { ...state, tensors: 2, bytes: 96, delegate_bytes: 2048 };
  const sized = { ...given.skeleton, page: { version: PAGE_VERSION, delegation, state: known } };
  const other = new Snapshot(sized, () => Promise.reject(new Error("none")));
  at.show(<ProgramPanel snapshot={other} actions={at.actions} />);
  expect(at.text()).toContain("state2 tensors, 96 Band 2 KB in 1 delegate, weights included");
  at.show(<ProgramPanel snapshot={snapshot} actions={at.actions} />);
  expect(at.text()).toContain("fix firstaten.cumsum.default ×1no kernel");
  at.find("button", "1 op").click();
  expect(at.requests).toEqual([`select [${nodes}]`]);
});
