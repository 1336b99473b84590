/** Where ops are on the axis, which of many ops a column of pixels shows, and which tracks fit. */
import { expect, test } from "vitest";
import { PAGE_VERSION, Snapshot } from "../../src/snapshot";
import {
  type Axis,
  evenEdges,
  moved,
  opAtX,
  ticksOf,
  timeEdges,
  xOfOp,
  zoomed,
} from "../../src/timeline/axis";
import { barsOf, columnsOf, mergedColumns } from "../../src/timeline/columns";
import { timeWithin } from "../../src/timeline/costs";
import { hitAt, linesOf } from "../../src/timeline/hit";
import { type Timeline, timelineOf } from "../../src/timeline/model";
import { shortName } from "../../src/timeline/paint";
import { costText, liveBasis, opLines } from "../../src/timeline/timeline_text";
import { heightOf, tracksOf } from "../../src/timeline/tracks";
import { profileOf } from "../profile/records";
import { detailOf, skeletonOf, snapshotOf, stack } from "../programs";

const axisOf = (edges: Float64Array, width = 100): Axis => ({
  edges,
  from: 0,
  to: edges.at(-1) ?? 0,
  left: 10,
  width,
});

test("the op at a pixel is the one drawn there", () => {
  const axis = axisOf(evenEdges(20));
  for (let op = 0; op < 20; op++) {
    expect(opAtX(axis, xOfOp(axis, op) + 0.5)).toBe(op);
    expect(opAtX(axis, xOfOp(axis, op + 1) - 0.5)).toBe(op);
  }
  expect([opAtX(axis, -50), opAtX(axis, 500)]).toEqual([0, 19]);
});

test("by time an op is as wide as its time, and one without a time has no width", () => {
  const edges = timeEdges(Float64Array.of(1000, Number.NaN, 3000));
  expect(edges && Array.from(edges)).toEqual([0, 1000, 1000, 4000]);
  expect(edges && opAtX(axisOf(edges), 10 + 60)).toBe(2);
  expect(timeEdges(Float64Array.of(Number.NaN))).toBeUndefined();
});

test("zooming keeps the op under the pointer, between everything and a few ops", () => {
  const axis = axisOf(evenEdges(1000));
  const x = xOfOp(axis, 300);
  const near = { ...axis, ...zoomed(axis, x, 0.1) };
  expect(xOfOp(near, 300)).toBeCloseTo(x);
  expect(near.to - near.from).toBeCloseTo(100);
  const least = zoomed(near, x, 1e-9);
  expect(least.to - least.from).toBe(4);
  expect(zoomed(near, x, 1e9)).toEqual({ from: 0, to: 1000 });
  expect(moved(1000, 980, 100)).toEqual({ from: 900, to: 1000 });
});

test("the axis has round numbers", () => {
  expect(ticksOf({ from: 0, to: 95 }, 10)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(ticksOf({ from: 0, to: 0 }, 10)).toEqual([]);
});

test("with 100,000 ops every column shows its largest, and no more is drawn than there are pixels", () => {
  const count = 100_000;
  const values = new Float64Array(count).fill(1);
  values[77_777] = 50;
  const columns = columnsOf(axisOf(evenEdges(count), 800), (op) => values[op] ?? 0);
  expect(columns).toHaveLength(800);
  expect(columns.filter((column) => column?.value === 50).map((column) => column?.op)).toContain(77_777);
  const spans = Array.from({ length: count }, (_, i) => i);
  const bars = barsOf(axisOf(evenEdges(count), 800), { first: spans, last: spans });
  expect(bars.length).toBeLessThanOrEqual(801);
  expect(bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(count);
});

test("wide spans have their own bars, and none out of view", () => {
  const axis = { ...axisOf(evenEdges(10)), from: 2, to: 10 };
  const bars = barsOf(axis, { first: [0, 3, 6], last: [1, 5, 9] });
  expect(bars.map(({ span, count }) => [span, count])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test("columns of one op are one", () => {
  const columns = columnsOf(axisOf(evenEdges(4), 100), (op) => (op === 1 ? Number.NaN : op));
  expect(mergedColumns(columns)).toEqual([
    { from: 0, to: 25, op: 0, value: 0 },
    { from: 50, to: 75, op: 2, value: 2 },
    { from: 75, to: 100, op: 3, value: 3 },
  ]);
});

const snapshot = snapshotOf(stack(4));

function timeline(isProfiled: boolean): Timeline {
  const profile = isProfiled ? profileOf(snapshot) : undefined;
  return timelineOf(snapshot, snapshot.graph(0), profile);
}

test("tracks depend on the known data, and follow each other", () => {
  const types = (isProfiled: boolean, height: number): string[] =>
    tracksOf(timeline(isProfiled), height).map(({ type }) => type);
  expect(types(false, 200)).toEqual(["axis", "modules", "ops"]);
  expect(types(true, 200)).toEqual(["axis", "modules", "time", "live"]);
  const tracks = tracksOf(timeline(true), 300);
  tracks.slice(1).forEach(({ top }, i) => {
    const before = tracks[i];
    expect(top).toBeGreaterThanOrEqual((before?.top ?? 0) + (before?.height ?? 0));
  });
  expect(heightOf(tracks)).toBeLessThanOrEqual(300);
});

test("the item under the pointer is described: an op with name, module, time and bytes; a module with its ops", () => {
  const shown = timeline(true);
  const tracks = tracksOf(shown, 200);
  const axis = axisOf(shown.even, 800);
  const at = (type: string, op: number) => {
    const track = tracks.find((each) => each.type === type);
    const hit = hitAt(shown, axis, tracks, xOfOp(axis, op) + 2, (track?.top ?? 0) + 4);
    return hit ? linesOf(shown, hit) : [];
  };
  const lines = at("time", 3);
  expect(lines[0]).toBe("relu_1");
  expect(lines[1]).toBe("model.layers.1");
  expect(lines[2]).toMatch(/^\d+ µs · \d.*% · f32\[2, 3\], 24 B$/);
  expect(lines[3]).toMatch(/alive$/);
  expect(at("modules", 3)).toEqual(
    ["model.layers.1", "1", expect.stringMatching(/^2 ops · .* µs · .*%$/)].map((each, i) =>
      i === 1 ? expect.any(String) : each,
    ),
  );
  expect(hitAt(shown, axis, tracks, 2, 50)).toBeUndefined();
});

test("an op's time includes that of its results and memory, so that all ops and the overhead are the run", () => {
  const skeleton = skeletonOf({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      { name: "alloc", target: "alloc" },
      { name: "split", inputs: ["x", "alloc"] },
      { name: "first", target: "getitem", inputs: ["split"] },
      { name: "second", target: "getitem", inputs: ["split"] },
      { name: "relu", inputs: ["first"] },
      { name: "output", op: "output", inputs: ["relu", "second"] },
    ],
  });
  const page = { version: PAGE_VERSION, placements: [{ folded: [1], into: [2] }] };
  const program = new Snapshot({ ...skeleton, page }, async () => detailOf(skeleton));
  const profile = profileOf(program, { alloc: 4, split: 50, first: 2, second: 1, relu: 20 });
  const shown = timelineOf(program, program.graph(0), profile);
  const { times, sequence } = shown;
  const last = sequence.nodes.length - 1;
  expect(last).toBe(1);
  expect(times && timeWithin(times, 0, last) + profile.overhead).toBe(profile.whole);
  expect(costText(shown, 0, 0)).toMatch(/^57 µs · /);
  expect(opLines(shown, 0)[1]).toMatch(/^57 µs · \d.*% · includes 7 µs for getitem or alloc · /);
  expect(opLines(shown, 1)[1]).toMatch(/^20 µs · \d[^·]*% · f32/);
});

test("without a profile memory is what Python computed from shapes", () => {
  const skeleton = skeletonOf(stack(2));
  const count = skeleton.graphs[0]?.names.length ?? 0;
  const live = Array.from({ length: count }, (_, i) => i * 10);
  const page = { version: PAGE_VERSION, memory: [{ live, unknown: 2, sizes: "batch = 4" }] };
  const small = new Snapshot({ ...skeleton, page }, async () => detailOf(skeleton));
  const shown = timelineOf(small, small.graph(0), undefined);
  const { live: found, sequence } = shown;
  expect(found?.basis).toBe("shapes");
  expect(liveBasis(shown)).toBe("computed from shapes at batch = 4, without 2 values of unknown size");
  expect(found?.unknown).toBe(2);
  expect(found && Array.from(found.bytes)).toEqual(Array.from(sequence.steps, (at) => live[at]));
  expect(found?.peak).toBe(sequence.nodes.length - 1);
});

test.each([
  ["self_attn.q_proj", "q_proj"],
  ["layers.17", "…17"],
  ["layers.17 (call 2)", "…17 (call 2)"],
  ["0", "0"],
])("a module %s without room for its name is %s", (name, short) => {
  expect(shortName(name)).toBe(short);
});
