// @vitest-environment happy-dom
/** A delegate that diverges is bisected in the tab of values: the region, its lines, the log, the reproducer. */
import { expect, test } from "vitest";
import { Columns, Row } from "../../src/compare";
import { type MeasuredSource, MeasurementRuns } from "../../src/compare/measurements/measurement_runs";
import type { BisectionRecord } from "../../src/compare/values/schema";
import { ColumnsContext } from "../../src/compare/view/context";
import { ValuesTab } from "../../src/compare/view/values_tab";
import { Explorer } from "../../src/explorer";
import { settled, stage } from "../panels/stage";
import { sevenWide } from "../programs";
import { changes, node, values } from "./sample";

const apart = { elements: 4, max_abs: 0.08, relative: 0.1, diverged: true };
const delegate = node(1, "relu");
const record = {
  ...values,
  executor: "executorch",
  devices: [
    { node: delegate, ran: "runtime", backend: "XnnpackBackend", isolated: apart },
    { node: node(1, "sin"), ran: "runtime", isolated: apart },
  ],
} as const;
const found: BisectionRecord = {
  delegate,
  outcome: "region",
  summary: "1 op in forward/relu diverges alone",
  nodes: [node(1, "addmm")],
  lines: ["net.py:12 self.third(x)"],
  numbers: apart,
  log: [
    { nodes: 7, seconds: 0.5, numbers: apart },
    { nodes: 3, seconds: 0.25, reason: "the backend cannot lower this part" },
  ],
  complete: false,
  around: [node(1, "relu")],
};

function shown(source: Partial<MeasuredSource>) {
  const explorers = changes.snapshots.map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 300, height: 300 }),
  );
  const columns = new Columns(new Row(explorers, [changes]), { at: 0 });
  const runs = new MeasurementRuns(changes, {
    known: async () => ({ values: record }),
    values: "",
    ...source,
  });
  const place = stage();
  place.show(
    <ColumnsContext.Provider value={{ columns, measured: [runs], isDark: false }}>
      <ValuesTab />
    </ColumnsContext.Provider>,
  );
  return { columns, place, runs };
}

test("only a delegate that diverges has a button, and only where a kernel can bisect", async () => {
  const can = shown({ bisect: async () => found });
  const cannot = shown({});
  await settled();
  const buttons = (text: string) => [...text.matchAll(/Bisect/g)].length;
  expect([buttons(can.place.text()), buttons(cannot.place.text())]).toEqual([1, 0]);
  for (const { columns } of [can, cannot]) columns.dispose();
});

test("the region is shown with lines and log, its nodes are selected, and files are named", async () => {
  const requests: unknown[] = [];
  const { columns, place, runs } = shown({
    bisect: async (name) => {
      requests.push(name);
      return found;
    },
    reproduce: async (what) => {
      requests.push(what);
      if (what.path === "taken") throw new Error("'taken' is a file. Name a folder.");
      return { script: "/tmp/out/reproduce.py", program: "/tmp/out/region.pt2", shows: true };
    },
  });
  await settled();
  await runs.bisect(delegate);
  await settled();
  const text = place.text();
  for (const part of [
    "1 op in forward/relu diverges alone: 0.08",
    "Stopped: a smaller region may diverge too.",
    "net.py:12 self.third(x)",
    "runs only with relu",
    "2 parts tried in 750 ms",
    "≠ 0.08 in 7 nodes, 500 ms",
    "not run (the backend cannot lower this part) in 3 nodes, 250 ms",
  ])
    expect(text).toContain(part);
  const link = place.find('[title="Select them in the picture"]', "addmm");
  link.click();
  await settled();
  expect(columns.row.explorer(1).selectedNodes()).toEqual([node(1, "addmm")]);
  const options = { path: "taken", replace: false, weights: "random", names: false } as const;
  await runs.reproduce(delegate, options);
  await settled();
  expect(place.text()).toContain("'taken' is a file. Name a folder.");
  await runs.reproduce(delegate, { ...options, path: "out" });
  await settled();
  expect(place.text()).toContain("/tmp/out/reproduce.py");
  expect(place.text()).toContain("It shows the difference with random numbers.");
  expect(requests).toEqual([
    "forward/relu",
    { node: "forward/relu", ...options },
    { node: "forward/relu", ...options, path: "out" },
  ]);
  columns.dispose();
});

test("a delegate that does not run says why, can be bisected, and its outputs are emulated", async () => {
  const devices = [
    { node: delegate, ran: "not run", backend: "XnnpackBackend", reason: "error 0x1" },
  ] as const;
  const outputs = [{ name: "output 0", numbers: { elements: 4 }, ran: "emulated" }] as const;
  const coarse = [["quantized", 0.015625]] as const;
  const { columns, place } = shown({
    bisect: async () => found,
    known: async () => ({ values: { ...record, rtol: 0.02, coarse, devices, outputs } }),
  });
  await settled();
  const text = place.text();
  for (const part of ["error 0x1", "Bisect", "equal · emulated by eager torch", "computed in 8-bit integers"])
    expect(text).toContain(part);
  // the form has what was run last
  expect(place.find<HTMLInputElement>("input[type=number]", "").value).toBe("0.02");
  columns.dispose();
});

/** Presses a checkbox of the reproducer's form. */
async function check(place: ReturnType<typeof stage>, text: string): Promise<HTMLInputElement> {
  const box = place.find("label", text).querySelector<HTMLInputElement>("input[type=checkbox]");
  if (!box) throw new Error(`no checkbox ${text}`);
  box.click();
  await settled();
  return box;
}

test("a reproducer keeps weights and names if that is chosen, and replaces its own files", async () => {
  const requests: unknown[] = [];
  const { columns, place, runs } = shown({
    bisect: async () => found,
    reproduce: async (what) => {
      requests.push(what);
      return { script: "out/reproduce.py", program: "out/region.pt2", shows: requests.length > 1 };
    },
  });
  await settled();
  await runs.bisect(delegate);
  await settled();
  const write = () => place.find("button", "Write reproducer").click();
  write();
  await settled();
  expect(place.text()).toContain("With random numbers it shows no difference; choose real weights.");
  await check(place, "real weights");
  await check(place, "names");
  write();
  await settled();
  expect(place.text()).toContain("It shows the difference with your weights.");
  const first = { node: "forward/relu", path: "reproducer", replace: false, weights: "random", names: false };
  expect(requests).toEqual([first, { ...first, replace: true, weights: "real", names: true }]);
  columns.dispose();
});

test("the reproducer of a wrong payload always has the real weights", async () => {
  const requests: unknown[] = [];
  const { columns, place, runs } = shown({
    bisect: async () => ({ ...found, outcome: "payload", summary: "Its payload is another one" }),
    reproduce: async (what) => {
      requests.push(what.weights);
      return { script: "out/reproduce.py", program: "out/region.pt2", shows: true };
    },
  });
  await settled();
  await runs.bisect(delegate);
  await settled();
  const text = place.text();
  expect(text).toContain("Its payload is another one: 0.08");
  expect((await check(place, "real weights")).disabled).toBe(true);
  place.find("button", "Write reproducer").click();
  await settled();
  expect(requests).toEqual(["real"]);
  columns.dispose();
});

test("outputs that diverge alone are no agreement", async () => {
  const rows = values.rows.filter(({ numbers }) => !numbers.diverged);
  const outputs = [{ name: "output 0", numbers: apart, ran: "runtime" }] as const;
  const { columns, place } = shown({
    known: async () => ({ values: { ...values, rows, first: -1, producers: [], outputs } }),
  });
  await settled();
  expect(place.text()).toContain("Outputs diverge, but no compared value inside does.");
  columns.dispose();
});
