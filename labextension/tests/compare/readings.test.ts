import { afterEach, describe, expect, it, vi } from "vitest";
import { plainLook } from "../../src/canvas/look";
import { Columns, Row } from "../../src/compare";
import { CostDiff, together } from "../../src/compare/costs/cost_diff";
import {
  columnReadings,
  columnSubject,
  measurementPaint,
  nextPaint,
  paintAs,
  paintsOf,
  Readings,
  readingWords,
  withReadings,
} from "../../src/compare/measurements";
import { costly } from "../../src/compare/measurements/reading_colors";
import type { PairPaint } from "../../src/compare/model/state";
import { ValueDiff } from "../../src/compare/values/value_diff";
import { MEASUREMENT_LOOKS } from "../../src/compare/view/change_colors";
import { Explorer } from "../../src/explorer";
import { theme } from "../canvas/theme";
import { sevenWide } from "../programs";
import { changes, costs, node, values } from "./sample";

const SCREEN = { width: 700, height: 900 };
const known = { values: new ValueDiff(values), costs: new CostDiff(costs) };
let columns: Columns | undefined;

/** The two side by side, all open. */
function shown() {
  const explorers = changes.snapshots.map((snapshot) => new Explorer(snapshot, sevenWide, SCREEN));
  columns = new Columns(new Row(explorers, [changes]));
  for (const each of explorers) open(each);
  return columns;
}

function open({ store, picture }: Explorer): void {
  const all = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  store.set({ open: new Set(all), scene: picture.layout.scene(picture.view(new Set(all), new Set())) });
}

afterEach(() => {
  for (const explorer of columns?.explorers ?? []) explorer.dispose();
  columns?.dispose();
});

const itemOf = (explorer: Explorer, name: string): number =>
  explorer.boxShowing(explorer.snapshot.find(`forward/${name}`) ?? -1);

/** The text on the boxes. */
function marksIn(explorer: Explorer, readings: Readings, paint: PairPaint, zoom = 1): string[] {
  const { picture, scene } = explorer.state;
  const above = withReadings(() => ({ under: [], over: [] }), readings, paint);
  const look = plainLook(picture, scene, theme, sevenWide);
  const camera = { x: -50, y: -50, zoom };
  const { over } = above(look, camera, { width: 4000, height: 4000 });
  return over.flatMap((each) => (each.type === "text" ? [each.text] : []));
}

describe("the measurements of a box", () => {
  it("are those of its own nodes on its own side", () => {
    const { row } = shown();
    const readings = new Readings(columnSubject(row, 1), known.values, known.costs);
    const at = (name: string) => readings.of(itemOf(row.explorer(1), name));
    expect(at("relu")).toMatchObject({ diverged: 1, compared: 1, firsts: ["first to diverge", "first NaN"] });
    expect(at("sin")).toMatchObject({ diverged: 1, firsts: [], troubles: ["NaN"] });
    expect(at("addmm").cost).toMatchObject({ before: 0.002, after: 0.008 });
    expect(at("neg")).toMatchObject({ compared: 0, cost: undefined });
    const before = new Readings(columnSubject(row, 0), known.values, known.costs);
    const sin = before.of(itemOf(row.explorer(0), "sin"));
    expect(sin).toMatchObject({ diverged: 1, troubles: [] }); // the NaN is on the other side
  });

  it("are only computed if there are any, and once per column", () => {
    const { row } = shown();
    const explorer = row.explorer(1);
    const model = explorer.picture.around(itemOf(explorer, "relu")).at(-1) ?? -1;
    const walked = [vi.spyOn(explorer.picture, "leavesOf"), vi.spyOn(explorer.picture, "boxOf")] as const;
    const calls = (): number[] => walked.map(({ mock }) => mock.calls.length);
    const none = { op: 0, module: 0 };
    const nothing = columnReadings(row, 1, undefined, undefined, none);
    expect(nothing.of(model)).toMatchObject({ compared: 0, cost: undefined });
    expect(calls()).toEqual([0, 0]);
    const { costs: expense, values: apart } = known;
    const readings = columnReadings(row, 1, undefined, expense, expense.ends);
    expect(readings.of(model)).toMatchObject({ compared: 0 });
    expect(calls()[1]).toBe(0);
    expect(columnReadings(row, 1, undefined, expense, { ...expense.ends })).toBe(readings);
    expect(columnReadings(row, 1, apart, expense, expense.ends).of(model).compared).toBeGreaterThan(1);
    expect(calls()[1]).toBeGreaterThan(0);
    for (const each of walked) each.mockRestore();
  });

  it("of a module cover all its content", () => {
    const { row } = shown();
    const explorer = row.explorer(1);
    const readings = new Readings(columnSubject(row, 1), known.values, known.costs);
    const modules = Array.from({ length: explorer.picture.count }, (_, item) => item).filter(
      (item) => explorer.picture.words.title(item) === "first",
    );
    expect(modules).toHaveLength(1);
    const found = readings.of(modules[0] ?? -1);
    expect(found).toMatchObject({ compared: 2, diverged: 1, cost: { before: 0.007, after: 0.009 } });
    expect(found.worst?.b).toBe(node(1, "relu"));
  });

  it("never cover values with costs", () => {
    const { row } = shown();
    const explorer = row.explorer(1);
    const readings = new Readings(columnSubject(row, 1), known.values, known.costs);
    const marks = marksIn(explorer, readings, "costs");
    expect(marks).toContain("first to diverge · first NaN");
    expect(marks).toContain("▼");
    expect(marks.some((text) => text.startsWith("▼ "))).toBe(false);
  });

  it("have a text", () => {
    const { row } = shown();
    const readings = new Readings(columnSubject(row, 1), known.values, known.costs);
    const words = (name: string) => readingWords(readings.of(itemOf(row.explorer(1), name)), false);
    expect(words("relu")).toBe("first to diverge, first NaN; ≠ 0.02 apart, 3.2 dB; 5 ms → 1 ms ×0.2");
    expect(words("addmm")).toBe("within tolerance: 2e-7 apart, 121 dB; 2 ms → 8 ms ×4");
    expect(words("sin")).toBe("≠ NaN or Inf on one side");
    expect(words("x")).toBe("values equal");
    expect(words("neg")).toBe("");
  });

  it("are on the boxes: values under any colours, costs while they are the colours", () => {
    const { row } = shown();
    const explorer = row.explorer(1);
    const readings = new Readings(columnSubject(row, 1), known.values, known.costs);
    const firsts = "first to diverge · first NaN";
    expect(marksIn(explorer, readings, "changes").sort()).toEqual(["NaN", firsts].sort());
    const all = marksIn(explorer, readings, "costs");
    expect(all).toEqual(expect.arrayContaining(["NaN", firsts, "▲ 6 ms", "▼", "▲ 3 ms"]));
    expect(marksIn(explorer, readings, "costs", 0.5)).toEqual(expect.arrayContaining(["▲", "▼"]));
    expect(marksIn(explorer, readings, "costs", 0.2)).toEqual([]);
    const before = new Readings(columnSubject(row, 0), known.values, known.costs);
    expect(marksIn(row.explorer(0), before, "values").sort()).toEqual(["first to diverge", "≠"].sort());
  });

  it("give a box its colour, and none without a measurement", () => {
    const { row } = shown();
    const explorer = row.explorer(1);
    const readings = new Readings(columnSubject(row, 1), known.values, known.costs);
    const scene = () => explorer.state.scene;
    const colour = (name: string, paint: Exclude<PairPaint, "changes">) =>
      measurementPaint(readings, scene, paint, theme)(scene().slotOf[itemOf(explorer, name)] ?? -1);
    expect(colour("x", "values")).toBeUndefined();
    expect(colour("neg", "values")).toBeUndefined();
    expect(colour("sin", "values")).toBeDefined();
    expect(colour("addmm", "costs")).not.toBe(colour("relu", "costs"));
    expect(colour("neg", "costs")).toBeUndefined();
    expect(MEASUREMENT_LOOKS.slower.sign).not.toBe(MEASUREMENT_LOOKS.faster.sign);
    const ends = { op: 10 * known.costs.ends.op, module: 10 * known.costs.ends.module };
    const neighbor = new Readings(columnSubject(row, 1), known.values, known.costs, ends);
    const paled = measurementPaint(
      neighbor,
      scene,
      "costs",
      theme,
    )(scene().slotOf[itemOf(explorer, "addmm")] ?? -1);
    expect(paled).toBeDefined();
    expect(paled).not.toBe(colour("addmm", "costs"));
    // a difference within noise has no colour, but a text with its basis
    const cost = { before: 0.001, after: 0.004, ratio: 4, basis: ["", "emulated"] as const };
    const reading = { worst: undefined, compared: 0, diverged: 0, firsts: [], troubles: [], cost };
    expect(costly(reading, 0.003)).toEqual({ part: 1, is: "slower" });
    expect(costly({ ...reading, cost: { ...cost, noise: true } }, 0.003)).toBeUndefined();
    expect(readingWords({ ...reading, cost: { ...cost, noise: true } }, false)).toBe(
      "1 ms → 4 ms ×4, within noise, emulated after",
    );
    const other = { before: 0.002, after: 0.001, ratio: 0.5, noise: false };
    expect(together([cost, cost])).toMatchObject({ after: 0.008, noise: false, basis: ["", "emulated"] });
    expect(together([cost, other])).toMatchObject({ noise: true });
  });
});

describe("the colours of boxes", () => {
  it("are the measurements, one by one, else the changes", () => {
    const { values: apart } = known;
    expect(paintsOf({})).toEqual(["changes"]);
    expect(paintAs("costs", { values: apart })).toBe("changes");
    const next = (paint: PairPaint) => nextPaint(paint, known);
    expect([next("changes"), next("values"), next("costs")]).toEqual(["values", "costs", "changes"]);
    expect(nextPaint("values", { values: apart })).toBe("changes");
  });
});
