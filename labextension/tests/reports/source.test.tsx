// @vitest-environment happy-dom
/** The lines of a report, linked with the graph both ways, and the findings of a node. */
import { expect, test } from "vitest";
import { NodeFindings } from "../../src/reports";
import { Sources } from "../../src/reports/source";
import { NONE } from "../../src/snapshot";
import { NOTHING, type Selection } from "../../src/ui/actions";
import { settled, stage } from "../panels/stage";

const MARKS = [
  { sign: "●", label: "traced", about: "It made ops", color: "green" },
  { sign: "◆", label: "specialised", color: "orange" },
];
const SOURCE = {
  file: "net.py",
  numbers: [1, 2, 3],
  texts: ["if c:", "    y = relu(x)", "return block(y)\u202e"],
  marks: [1, 0, NONE],
  notes: ["Taken", "", ""],
  ops: [0, 1, 2],
  bytes: [0, 8, 8],
  nodes: [[], [1], []],
};

test("a line selects its ops or finds those it calls; a selected op marks its line and brings its file", async () => {
  const on = stage();
  const show = async (selection: Selection): Promise<void> => {
    const other = { ...SOURCE, file: "other.py", ops: [1, 1, 2], nodes: [[2], [], []] };
    on.show(<Sources sources={[SOURCE, other]} marks={MARKS} actions={on.actions} selection={selection} />);
    await settled();
  };
  await show(NOTHING);
  expect(on.text()).toContain("● 1 traced");
  expect(on.text()).toContain("◆ 1 specialised");
  expect(on.text()).toContain("Taken");
  expect(on.text()).toContain("\\u202e");
  expect(on.find("option", "net.py").textContent).toBe("net.py (1 op)");
  on.find("button.exirviz-row", "relu(x)").click();
  on.find("button.exirviz-row", "block(y)").click();
  expect(on.requests).toEqual(["select [1]", 'search "file:net.py line:3"']);
  await show({ kind: "node", node: 1 });
  expect(on.find(".exirviz-row-it", "").textContent).toContain("y = relu(x)");
  await show({ kind: "node", node: 2 });
  expect(on.find(".exirviz-row-it", "").textContent).toContain("if c:");
});

test("the findings of a node say their severity and remedy, and lead to the report", () => {
  const on = stage();
  const findings = [
    { node: 1, severity: "error" as const, text: "add writes.", remedy: "Call <b>run_decompositions</b>." },
    { node: 0, severity: "note" as const, text: "other", remedy: "" },
  ];
  let opened = 0;
  const show = (node: number): void =>
    on.show(<NodeFindings {...{ findings, node }} onOpen={() => opened++} />);
  show(1);
  expect(on.text()).toContain("error add writes.→ Call <b>run_decompositions</b>.");
  expect(on.text()).not.toContain("other");
  on.find("button", "Show the report").click();
  expect(opened).toBe(1);
  show(2);
  expect(on.text()).toBe("");
});
