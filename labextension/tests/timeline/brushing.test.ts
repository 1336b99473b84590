/** A brush dims everything outside it, like a focus, and Escape clears it first. */
import { expect, test } from "vitest";
import type { CanvasView } from "../../src/canvas/view";
import { Explorer, Marker } from "../../src/explorer";
import { perform } from "../../src/frame/commands";
import { brushOf, nodesOfBoxes } from "../../src/frame/timeline";
import { timelineOf } from "../../src/timeline";
import { extended } from "../../src/timeline/view/chart";
import { sevenWide, snapshotOf, stack } from "../programs";

function opened() {
  const snapshot = snapshotOf(stack(3));
  const explorer = new Explorer(snapshot, sevenWide, { width: 900, height: 700 });
  return { snapshot, explorer, timeline: timelineOf(snapshot, snapshot.graph(0), undefined) };
}

test("boxes of brushed ops and their surroundings stay bright", async () => {
  const { explorer, timeline, snapshot } = opened();
  await explorer.openAll();
  explorer.store.set({ brush: brushOf(timeline, [2, 3]) });
  const { bright } = new Marker().marks(explorer.state, -1);
  const { scene, picture } = explorer.state;
  const highlighted = Array.from(bright ?? [])
    .flatMap((is, slot) => (is ? [picture.nodeOf(scene.item[slot] ?? -1)] : []))
    .filter((node) => node >= 0)
    .map((node) => snapshot.name(node));
  expect(highlighted).toEqual(["linear_1", "relu_1"]);
});

test("a closed module is bright if one of its ops is", async () => {
  const { explorer, timeline } = opened();
  await explorer.closeAll();
  explorer.store.set({ brush: brushOf(timeline, [0]) });
  const { bright } = new Marker().marks(explorer.state, -1);
  const { scene, picture } = explorer.state;
  const titles = Array.from(bright ?? []).flatMap((is, slot) => {
    const item = scene.item[slot] ?? -1;
    return is && picture.isGroup(item) ? [picture.words.title(item)] : [];
  });
  expect(titles).toContain("model");
});

test("a brush of another Snapshot dims nothing", () => {
  const { explorer, timeline } = opened();
  explorer.store.set({ brush: { ...brushOf(timeline, [0, 1]), snapshot: snapshotOf(stack(1)) } });
  expect(new Marker().marks(explorer.state, -1).bright).toBeUndefined();
});

test("the box of a run of identical layers is marked wherever one of them runs", async () => {
  const { explorer, snapshot } = opened();
  await explorer.openTo(2);
  const { scene } = explorer.state;
  const slot = Array.from(scene.members).indexOf(3);
  expect(slot).toBeGreaterThan(0);
  explorer.select([scene.item[slot] ?? -1]);
  const names = nodesOfBoxes(explorer.state).map((node) => snapshot.name(node));
  expect(names.filter((name) => name.startsWith("relu"))).toEqual(["relu_0", "relu_1", "relu_2"]);
});

test("Escape clears the brush before the selection", () => {
  const { explorer, timeline } = opened();
  explorer.select([0]);
  explorer.store.set({ brush: brushOf(timeline, [0, 1]) });
  perform({ explorer, view: {} as CanvasView }, "close");
  expect([explorer.state.brush, explorer.state.selected]).toEqual([undefined, [0]]);
  perform({ explorer, view: {} as CanvasView }, "close");
  expect(explorer.state.selected).toEqual([]);
});

test("its key opens and closes the timeline, and a view remembers it", () => {
  const { explorer, timeline } = opened();
  expect(explorer.view()).not.toHaveProperty("timeline");
  perform({ explorer, view: {} as CanvasView }, "timeline");
  expect(explorer.view().timeline).toBe(true);
  explorer.store.set({ brush: brushOf(timeline, [0]) });
  perform({ explorer, view: {} as CanvasView }, "timeline");
  expect([explorer.state.isTimelineOpen, explorer.state.brush]).toEqual([false, undefined]);
});

test("keys extend the brush at the cursor's end", () => {
  expect(extended([], 5, 6)).toEqual([5, 6]);
  expect(extended([[5, 6]], 6, 7)).toEqual([5, 7]);
  expect(extended([[5, 7]], 7, 6)).toEqual([5, 6]);
  expect(extended([[5, 6]], 5, 4)).toEqual([4, 6]);
  expect(extended([[5, 6]], 9, 10)).toEqual([9, 10]);
});
