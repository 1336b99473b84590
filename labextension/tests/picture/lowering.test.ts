/** Models as people lower them: which boxes move from edge to the backend, which lines go up, which cross. */
import { describe, expect, test } from "vitest";
import { EdgeFlag, type Scene } from "../../src/layout";
import { Picture } from "../../src/picture";
import type { Snapshot } from "../../src/snapshot";
import { crossings } from "../layout/measure";
import { sevenWide } from "../programs";
import { DELEGATED, snapshotAt } from "../stages/staged";

/** From one row of boxes to the next, in pixels of the picture. */
const ROW = 54;

interface Shown {
  readonly picture: Picture;
  readonly scene: Scene;
}

/** A picture with everything open. */
function allOpen(snapshot: Snapshot, isByDelegate = false): Shown {
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide, isByDelegate);
  const groups = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  return { picture, scene: picture.layout.scene(picture.view(new Set(groups), new Set(groups))) };
}

interface Box {
  readonly name: string;
  /** Below the top of its group. */
  readonly y: number;
  readonly x: number;
}

/** By group, its boxes from top to bottom. */
function boxes({ picture, scene }: Shown): Map<string, Box[]> {
  const found = new Map<string, Box[]>();
  scene.item.forEach((item, slot) => {
    const parent = picture.parentOf(item);
    const node = picture.nodeOf(item);
    const top = parent < 0 ? 0 : (scene.rect[4 * (scene.slotOf[parent] ?? 0) + 1] ?? 0);
    const [x = 0, y = 0] = scene.rect.subarray(4 * slot, 4 * slot + 2);
    const key = parent < 0 ? "" : picture.words.key(parent);
    const name = node < 0 ? picture.words.key(item) : picture.snapshot.name(node);
    found.set(key, [...(found.get(key) ?? []), { name, x, y: y - top }]);
  });
  for (const list of found.values()) list.sort((a, b) => a.y - b.y || a.x - b.x);
  return found;
}

/** Lines that go up, by their ends. */
function againstTheFlow({ picture, scene }: Shown): string[] {
  return Array.from(scene.edgeSource.keys())
    .filter((edge) => (scene.edgeFlags[edge] ?? 0) & EdgeFlag.Aside)
    .map((edge) =>
      [scene.edgeSource, scene.edgeTarget]
        .map((ends) => picture.words.key(scene.item[ends[edge] ?? 0] ?? 0))
        .join(" → "),
    );
}

/** For the boxes that two stages share: how many keep their order among siblings, and the median move. */
function moves(
  from: Shown,
  to: Shown,
): { readonly kept: number; readonly median: number; readonly all: number } {
  const after = boxes(to);
  const ways: number[] = [];
  let kept = 0;
  for (const [group, was] of boxes(from)) {
    const places = new Map((after.get(group) ?? []).map((box, at) => [box.name, { at, y: box.y }]));
    const persist = was.filter(({ name }) => places.has(name));
    kept += longestRising(persist.map(({ name }) => places.get(name)?.at ?? 0));
    ways.push(...persist.map(({ name, y }) => Math.abs((places.get(name)?.y ?? 0) - y)));
  }
  ways.sort((a, b) => a - b);
  return { kept: kept / ways.length, median: ways[ways.length >> 1] ?? 0, all: ways.length };
}

describe.each(DELEGATED)("%s", (name) => {
  test("by module, boxes stay in order and in place, no line goes up, and no more lines cross than at edge", async () => {
    const edge = allOpen(await snapshotAt(name, "edge"));
    const most = Math.max(3, 1.2 * crossings(edge.scene));
    expect(againstTheFlow(edge)).toEqual([]);
    for (const [stage, least] of [["xnnpack", 0.95] as const, ["executorch", 0.85] as const]) {
      const shown = allOpen(await snapshotAt(name, stage));
      const { kept, median, all } = moves(edge, shown);
      expect(all, stage).toBeGreaterThan(50);
      expect(kept, stage).toBeGreaterThanOrEqual(least);
      expect(median, stage).toBeLessThan(ROW);
      expect(againstTheFlow(shown), stage).toEqual([]);
      expect(crossings(shown.scene), stage).toBeLessThanOrEqual(most);
    }
  });

  test("by delegate, no line goes up either: a delegate has a part in each module", async () => {
    for (const stage of ["xnnpack", "executorch"])
      expect(againstTheFlow(allOpen(await snapshotAt(name, stage), true)), stage).toEqual([]);
  });
});

/** The length of the longest ascending subsequence. */
function longestRising(places: readonly number[]): number {
  const ends: number[] = [];
  for (const place of places) {
    const at = ends.findIndex((end) => end > place);
    ends[at < 0 ? ends.length : at] = place;
  }
  return ends.length;
}
