/** Models as people lower them: which boxes move from edge to the backend, which lines go up, which cross. */
import { describe, expect, test } from "vitest";
import { EdgeFlag, type Scene } from "../../src/layout";
import { Picture } from "../../src/picture";
import type { Snapshot } from "../../src/snapshot";
import { counterparts, nodeCounterparts, type StageMapping, Stages } from "../../src/stages";
import { crossings } from "../layout/measure";
import { sevenWide } from "../programs";
import { readCorpus } from "../snapshots";
import { DELEGATED, snapshotAt, stagedProgram } from "../stages/staged";

/** From one row of boxes to the next, in pixels of the picture. */
const ROW = 54;

interface Shown {
  readonly picture: Picture;
  readonly scene: Scene;
}

/** A picture with everything open, as users have it: with the source lines, and groups of their ops. */
async function allOpen(snapshot: Snapshot, isByDelegate = false): Promise<Shown> {
  await snapshot.detail();
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide, isByDelegate);
  const groups = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  return { picture, scene: picture.layout.scene(picture.view(new Set(groups), new Set(groups))) };
}

interface Position {
  readonly x: number;
  /** Below the top of its group. */
  readonly y: number;
}

function positionOf({ picture, scene }: Shown, item: number): Position {
  const parent = picture.parentOf(item);
  const top = parent < 0 ? 0 : (scene.rect[4 * (scene.slotOf[parent] ?? 0) + 1] ?? 0);
  const [x = 0, y = 0] = scene.rect.subarray(4 * (scene.slotOf[item] ?? 0));
  return { x, y: y - top };
}

const readingOrder = (a: Position, b: Position): number => a.y - b.y || a.x - b.x;

/** The pictures of a program's stages with everything open, and the lineage between two stages, by name. */
function lowered(name: string) {
  const stages = new Stages(stagedProgram(name));
  const idOf = (stage: string): string => stages.tree.stages.find((each) => each.name === stage)?.id ?? "";
  return {
    shown: async (stage: string): Promise<Shown> => allOpen(await stages.snapshot(idOf(stage))),
    mapping: (from: string, to: string): Promise<StageMapping> => stages.mapping(idOf(from), idOf(to)),
  };
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

interface Moves {
  /** The share of boxes that keep their order among siblings. */
  readonly kept: number;
  /** The median of the pixels that boxes move up or down in their group. */
  readonly median: number;
  readonly boxes: number;
}

/** For the boxes of one stage that another has too, by lineage, in the same group. */
function moves(from: Shown, to: Shown, mapping: StageMapping): Moves {
  const nodes = nodeCounterparts(from.picture.snapshot, to.picture.snapshot, mapping);
  const { after } = counterparts(from.picture, to.picture, nodes.before);
  const groups = new Map<number, { readonly was: Position; readonly is: Position }[]>();
  for (let item = 0; item < from.picture.count; item++) {
    const next = after[item] ?? -1;
    const group = from.picture.parentOf(item);
    if (next < 0 || to.picture.parentOf(next) !== (group < 0 ? group : after[group])) continue;
    const pair = { was: positionOf(from, item), is: positionOf(to, next) };
    groups.set(group, [...(groups.get(group) ?? []), pair]);
  }
  let kept = 0;
  for (const pairs of groups.values()) {
    const order = pairs.map(({ is }) => is).sort(readingOrder);
    pairs.sort((a, b) => readingOrder(a.was, b.was));
    kept += longestRising(pairs.map(({ is }) => order.indexOf(is)));
  }
  const ways = [...groups.values()].flat().map(({ was, is }) => Math.abs(is.y - was.y));
  ways.sort((a, b) => a - b);
  return { kept: kept / ways.length, median: ways[ways.length >> 1] ?? 0, boxes: ways.length };
}

describe.each(DELEGATED)("%s", (name) => {
  test("by module, boxes stay in order and in place, no line goes up, and no more lines cross than at edge", async () => {
    const { shown, mapping } = lowered(name);
    const edge = await shown("edge");
    const most = 1.2 * crossings(edge.scene);
    expect(againstTheFlow(edge)).toEqual([]);
    for (const stage of ["xnnpack", "executorch"]) {
      const after = await shown(stage);
      const { kept, median, boxes } = moves(edge, after, await mapping("edge", stage));
      expect(boxes, stage).toBeGreaterThan(100);
      expect(kept, stage).toBeGreaterThanOrEqual(0.95);
      expect(median, stage).toBeLessThan(ROW);
      expect(againstTheFlow(after), stage).toEqual([]);
      expect(crossings(after.scene), stage).toBeLessThanOrEqual(most);
    }
  });

  test("by delegate, no line goes up either: a delegate has a part in each module", async () => {
    for (const stage of ["xnnpack", "executorch"])
      expect(againstTheFlow(await allOpen(await snapshotAt(name, stage), true)), stage).toEqual([]);
  });
});

/** Lowered by `tests/corpus/eight_layers.py`, and saved without lineage. */
test.each(["llama8", "llama8dynamic"])(
  "%s: no line goes up, and no more lines cross than at edge",
  async (name) => {
    const edge = await allOpen(await readCorpus(`${name}.edge`));
    const after = await allOpen(await readCorpus(`${name}.executorch`));
    expect(againstTheFlow(edge)).toEqual([]);
    expect(againstTheFlow(after)).toEqual([]);
    expect(crossings(after.scene)).toBeLessThanOrEqual(1.2 * crossings(edge.scene));
  },
);

/** The length of the longest ascending subsequence. */
function longestRising(places: readonly number[]): number {
  const ends: number[] = [];
  for (const place of places) {
    const at = ends.findIndex((end) => end > place);
    ends[at < 0 ? ends.length : at] = place;
  }
  return ends.length;
}
