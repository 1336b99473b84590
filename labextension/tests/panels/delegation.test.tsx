// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { fixFirst, ProgramPanel } from "../../src/panels/selection_panels";
import { type CpuRow, type Delegation, PAGE_VERSION, Snapshot } from "../../src/snapshot";
import { delegatedProfile } from "../profile/delegated";
import { stage } from "./stage";

const ROW = { module: "", ops: 2 };

test("the kinds of op that touch the most delegates are the ones to fix first", () => {
  const row = { reason: "no kernel", nodes: [1] };
  const cpu: CpuRow[] = ["a", "b", "c", "d"].map((op) => ({ ...row, op }));
  const copy = { ...row, op: "copy_", is_write_back: true };
  const delegation: Delegation = { ops: 6, delegated: 2, percent: 33, delegates: [], cpu: [copy, ...cpu] };
  expect(fixFirst(delegation).map(({ op }) => op)).toEqual(["a", "b", "c"]);
  expect(fixFirst({ ...delegation, cpu: [copy] })).toEqual([]);
});

test("before anything is selected the panel says what runs where, and why", () => {
  const { snapshot: given } = delegatedProfile("cpu").profile;
  const at = stage();
  const nodes = [given.graph(0).position("cumsum") ?? -1];
  const delegation: Delegation = {
    ops: 3,
    delegated: 2,
    percent: 67,
    delegates: [{ ...ROW, graph: 1 }],
    cpu: [{ op: "aten.cumsum.default", reason: "no kernel", nodes }],
  };
  const state = { tensors: 0, bytes: 0, delegates: 1 };
  const skeleton = { ...given.skeleton, page: { version: PAGE_VERSION, delegation, state } };
  const snapshot = new Snapshot(skeleton, () => Promise.reject(new Error("none")));
  at.show(<ProgramPanel detail={{ state: "busy" }} snapshot={snapshot} actions={at.actions} />);
  expect(at.text()).toContain("backend2 ops (67%) in 1 delegate");
  expect(at.text()).toContain("stateweights in 1 delegate, of unknown size");
  const known = { ...state, tensors: 2, bytes: 96, delegate_bytes: 2048 };
  const sized = { ...given.skeleton, page: { version: PAGE_VERSION, delegation, state: known } };
  const other = new Snapshot(sized, () => Promise.reject(new Error("none")));
  at.show(<ProgramPanel detail={{ state: "busy" }} snapshot={other} actions={at.actions} />);
  expect(at.text()).toContain("state2 tensors, 96 Band 2 KB in 1 delegate, weights included");
  at.show(<ProgramPanel detail={{ state: "busy" }} snapshot={snapshot} actions={at.actions} />);
  expect(at.text()).toContain("fix firstaten.cumsum.default ×1no kernel");
  at.find("button", "1 op").click();
  expect(at.requests).toEqual([`select [${nodes}]`]);
});
