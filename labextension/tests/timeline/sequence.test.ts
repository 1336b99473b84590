import { expect, test } from "vitest";
import { PAGE_VERSION, Snapshot } from "../../src/snapshot";
import { methodGraph, rangesOf, timelineOf } from "../../src/timeline";
import { type Sequence, sequenceOf, spanAt } from "../../src/timeline/sequence";
import { plannedLines } from "../../src/timeline/timeline_text";
import { delegatedProfile } from "../profile/delegated";
import { branching, detailOf, skeletonOf, snapshotOf, stack } from "../programs";
import { readCorpus } from "../snapshots";

const namesOf = ({ snapshot, nodes }: Sequence): string[] => Array.from(nodes, (node) => snapshot.name(node));

const spansOf = ({ snapshot, modules }: Sequence): string[][] =>
  modules.map(({ scope, first, last }) =>
    scope.map((each, i) => `${snapshot.scopes[each]?.path} ${first[i]}-${last[i]}`),
  );

test("ops are in execution order, those inside a node directly after it", () => {
  const snapshot = snapshotOf(...branching());
  const sequence = sequenceOf(snapshot, snapshot.graph(0));
  expect(namesOf(sequence)).toEqual(["gt", "cond", "sin", "cos", "neg"]);
  expect(Array.from(sequence.steps, (at) => snapshot.graph(0).name(at))).toEqual([
    "gt",
    "cond",
    "cond",
    "cond",
    "neg",
  ]);
  expect(sequence.opOf[snapshot.find("x") ?? 0]).toBe(-1);
  expect(sequence.opAt[snapshot.graph(0).count]).toBe(5);
});

test("memory of ops in a branch is at steps of their own", () => {
  const skeleton = skeletonOf(...branching());
  const plain = snapshotOf(...branching());
  const at = (name: string): number => plain.find(name) ?? -1;
  const own = Array.from({ length: plain.graph(0).count }, (_, i) => i);
  const cond = own.indexOf(at("cond"));
  const inner = Array.from({ length: plain.nodeCount - own.length }, (_, i) => own.length + i);
  const steps = [...own.slice(0, cond + 1), ...inner, ...own.slice(cond + 1)];
  const live = steps.map((node) => 10 * node + 1);
  const sin = steps.indexOf(at("sin"));
  const arena = {
    ...{ number: 1, size: 16, peak: 16, peak_at: sin },
    ...{ nodes: [sin], texts: ["f32[4]"], offsets: [0], bytes: [16], first: [sin], last: [sin] },
  };
  const page = { version: PAGE_VERSION, memory: [{ live, steps, arenas: [arena] }] };
  const snapshot = new Snapshot({ ...skeleton, page }, async () => detailOf(skeleton));
  const timeline = timelineOf(snapshot, snapshot.graph(0), undefined);
  expect(Array.from(timeline.live?.bytes ?? [])).toEqual(
    Array.from(timeline.sequence.nodes, (node) => 10 * node + 1),
  );
  const [{ values, peak } = { values: [], peak: undefined }] = timeline.arenas;
  expect(peak?.node).toBe(at("sin"));
  const { opAt, opOf } = timeline.sequence;
  expect(values.map(({ node, first, last }) => [node, opAt[first], opAt[last + 1]])).toEqual([
    [at("sin"), opOf[at("sin")], (opOf[at("sin")] ?? 0) + 1],
  ]);
  expect(values[0] && plannedLines(timeline, values[0])).toEqual([
    "sin",
    "f32[4], 16 B at offset 0",
    "alive from sin to sin",
  ]);
});

test("modules are spans; one around almost everything is skipped", () => {
  const snapshot = snapshotOf(stack(3));
  const sequence = sequenceOf(snapshot, snapshot.graph(0));
  expect(spansOf(sequence)).toEqual([["model.layers.0 0-1", "model.layers.1 2-3", "model.layers.2 4-5"]]);
  const [row] = sequence.modules;
  expect(row && [0, 1, 2, 5].map((op) => spanAt(row, op))).toEqual([0, 0, 1, 2]);
});

test("a module that is left and entered again has two spans", () => {
  const nodes = ["a", "b", "a", "b", "b"].map((module, i) => ({ name: `neg_${i}`, inputs: [], module }));
  const snapshot = snapshotOf({ name: "forward", nodes });
  expect(spansOf(sequenceOf(snapshot, snapshot.graph(0)))).toEqual([["a 0-0", "b 1-1", "a 2-2", "b 3-4"]]);
});

test("ops outside all modules are between the spans of the same module", () => {
  const nodes = ["a", undefined, "a", "b"].map((module, i) => ({
    name: `neg_${i}`,
    inputs: [],
    ...(module && { module }),
  }));
  const snapshot = snapshotOf({ name: "forward", nodes });
  const sequence = sequenceOf(snapshot, snapshot.graph(0));
  expect(spansOf(sequence)).toEqual([["a 0-0", "a 2-2", "b 3-3"]]);
  expect(sequence.modules[0] && spanAt(sequence.modules[0], 1)).toBe(-1);
});

test("a delegate is a span over its call and its ops", () => {
  const { snapshot } = delegatedProfile("cpu").profile;
  const sequence = sequenceOf(snapshot, snapshot.graph(0));
  const inner = snapshot.graphs.filter(({ number }) => snapshot.delegateCall(number));
  expect(sequence.delegates).toHaveLength(inner.length);
  for (const { call, first, last } of sequence.delegates) {
    expect(snapshot.locate(sequence.nodes[first] ?? -1)).toMatchObject({ position: call.call });
    for (let op = first + 1; op <= last; op++)
      expect(snapshot.locate(sequence.nodes[op] ?? -1).graph.number).toBe(call.graph);
  }
});

test("ranges join neighbours, each once", () => {
  expect(rangesOf([5, 1, 2, 2, 9, 3])).toEqual([
    [1, 3],
    [5, 5],
    [9, 9],
  ]);
  expect(rangesOf([])).toEqual([]);
});

test("a Llama of 32 layers has a span per layer, and every op once", async () => {
  const snapshot = await readCorpus("llama32.core");
  const timeline = timelineOf(snapshot, methodGraph(snapshot, 0), undefined);
  const { sequence } = timeline;
  expect(new Set(sequence.nodes).size).toBe(sequence.nodes.length);
  const [row] = sequence.modules;
  const layers = row?.scope.map((scope) => snapshot.scopes[scope]?.path ?? "") ?? [];
  expect(new Set(layers.filter((path) => /layers\.\d+$/.test(path))).size).toBe(32);
  expect(timeline.times).toBeUndefined();
  expect(timeline.arenas).toEqual([]);
});

test.each(["llama2.pte", "whisper2.pte"])("each delegate of the file %s spans its call", async (name) => {
  const snapshot = await readCorpus(name);
  const sequence = sequenceOf(snapshot, snapshot.graph(0));
  const delegates = snapshot.graphs.filter(({ number }) => snapshot.delegateCall(number));
  expect(delegates.length).toBeGreaterThan(10);
  expect(sequence.delegates.length).toBe(delegates.length);
  for (const { first, last } of sequence.delegates) {
    expect(snapshot.kind(sequence.nodes[first] ?? -1)).toBe("delegate");
    expect(last).toBe(first);
  }
  const calls = [...sequence.nodes].filter((node) => snapshot.kind(node) === "delegate");
  expect(calls.length).toBe(delegates.length);
});
