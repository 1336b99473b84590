// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { QuantizationPanel } from "../../src/panels/quantization/panel";
import { NONE, PAGE_VERSION, type PageQuantization, Snapshot } from "../../src/snapshot";
import { delegatedProfile } from "../profile/delegated";
import { stage } from "./stage";

const given = delegatedProfile("cpu").profile.snapshot;
const REPORT: PageQuantization = {
  ops: 4,
  counts: [
    ["integer", 3],
    ["float", 1],
  ],
  warnings: ["conv has scale 1."],
  rows: [
    {
      status: "float",
      title: "float",
      op: "aten.exp.default",
      reason: "An output.",
      nodes: [2],
      texts: [""],
    },
    {
      status: "integer",
      title: "integer",
      op: "aten.add.Tensor",
      reason: "",
      nodes: [1, 1, NONE],
      texts: ["→ int8 per tensor, scale 0.5", "", ""],
    },
  ],
};

function panel(quantization?: PageQuantization) {
  const page = { version: PAGE_VERSION, ...(quantization && { quantization }) };
  const snapshot = new Snapshot({ ...given.skeleton, page }, () => Promise.reject(new Error("none")));
  const at = stage();
  at.show(
    <QuantizationPanel
      snapshot={snapshot}
      actions={at.actions}
      selection={{ kind: "nothing" }}
      detail={{ state: "busy" }}
    />,
  );
  return at;
}

test("ops are listed by status, float ones first, with reasons and numbers", () => {
  const text = panel(REPORT).text();
  expect(text).toContain("3 ops integer");
  expect(text).toContain("1 op float");
  expect(text).toContain("conv has scale 1.");
  expect(text).toContain("An output.");
  expect(text).toContain("→ int8 per tensor, scale 0.5");
  expect(text.indexOf("aten.exp.default")).toBeLessThan(text.indexOf("aten.add.Tensor"));
});

test("a count and an operator select their ops, each once", () => {
  const at = panel(REPORT);
  at.find("button", "3 ops").click();
  at.find("button", "aten.exp.default").click();
  expect(at.requests).toEqual(["select [1]", "select [2]"]);
});

test("a program without quantize ops says so", () => {
  expect(panel().text()).toContain("The program has no quantize op");
});
