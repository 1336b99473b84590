import { afterEach, describe, expect, it } from "vitest";
import { SIDES, type Side } from "../../src/compare";
import { Pair } from "../../src/compare/pair";
import { Explorer } from "../../src/explorer";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";

const SCREEN = { width: 500, height: 700 };
let shown: Pair | undefined;

function pairOf(): Pair {
  const changes = changesOf();
  const explorer = (side: Side): Explorer => new Explorer(changes.snapshots[side], sevenWide, SCREEN);
  shown = new Pair(changes, [explorer(0), explorer(1)]);
  return shown;
}

afterEach(() => shown?.dispose());

const titles = (pair: Pair, side: Side, items: Iterable<number>): string[] =>
  [...items].map((item) => pair.explorers[side].picture.words.title(item)).sort();

const box = (pair: Pair, side: Side, name: string): number => {
  const { snapshot, picture } = pair.explorers[side];
  return picture.boxOf(snapshot.find(`forward/${name}`) ?? -1);
};

/** What follows a change comes a few promises later. */
const settled = () => new Promise((done) => setTimeout(done, 20));

describe("a pair", () => {
  it("opens and closes a module on both sides", async () => {
    const pair = pairOf();
    for (const explorer of pair.explorers) await explorer.closeAll();
    await settled();
    const model = pair.explorers[1].picture.itemAt("forward:L__self__model") ?? -1;
    await pair.explorers[1].toggle(model);
    await settled();
    for (const side of SIDES) expect(titles(pair, side, pair.explorers[side].state.open)).toEqual(["model"]);
    await pair.explorers[1].toggle(model);
    await settled();
    expect(pair.explorers[0].state.open.size).toBe(0);
  });

  it("selects all that a node became, and what it came from", async () => {
    const pair = pairOf();
    pair.lead(0);
    pair.explorers[0].select([box(pair, 0, "linear")]);
    expect(titles(pair, 1, pair.explorers[1].state.selected)).toEqual(["addmm", "permute"]);
    pair.lead(1);
    pair.explorers[1].select([box(pair, 1, "addmm")]);
    expect(titles(pair, 0, pair.explorers[0].state.selected)).toEqual(["linear"]);
    expect(pair.changes.kind(pair.state.match)).toBe("rewritten");
  });

  it("lights the counterparts of what the pointer is on, in the other picture alone", async () => {
    const pair = pairOf();
    for (const explorer of pair.explorers) await explorer.openAll();
    await settled();
    const { scene } = pair.explorers[0].state;
    pair.hover(0, scene.slotOf[box(pair, 0, "linear")] ?? -1);
    const lit = [...pair.lit(1)].map((slot) => pair.explorers[1].state.scene.item[slot] ?? -1);
    expect(titles(pair, 1, lit)).toEqual(["addmm", "permute"]);
    expect(pair.lit(0).size).toBe(0);
    pair.hover(0, -1);
    expect(pair.lit(1).size).toBe(0);
  });

  it("goes from change to change, round at the ends, on whichever side they are", async () => {
    const pair = pairOf();
    const seen: string[] = [];
    for (let i = 0; i < 5; i++) {
      await pair.step(1);
      seen.push(pair.changes.kind(pair.state.match));
    }
    expect(seen).toEqual(["rewritten", "changed", "removed", "added", "rewritten"]);
    await pair.step(-1);
    expect(pair.changes.kind(pair.state.match)).toBe("added");
    await pair.step(-1);
    expect(titles(pair, 0, pair.explorers[0].state.selected)).toEqual(["dropout"]);
    expect(pair.explorers[1].state.selected).toEqual([]);
    pair.store.set({ without: new Set(["removed", "added"]) });
    await pair.step(1);
    expect(pair.changes.kind(pair.state.match)).toBe("rewritten");
  });

  it("moves one camera with the other, or leaves it alone", () => {
    const pair = pairOf();
    pair.lead(0);
    const { sight } = pair.explorers[0];
    const before = pair.explorers[1].sight.state.camera;
    sight.set({ camera: { ...sight.state.camera, y: sight.state.camera.y + 40, zoom: 0.9 } });
    const after = pair.explorers[1].sight.state.camera;
    expect(after.zoom).toBe(0.9);
    expect(after.y).not.toBe(before.y);
    pair.cameras.setOne(false);
    sight.set({ camera: { ...sight.state.camera, zoom: 0.5 } });
    expect(pair.explorers[1].sight.state.camera.zoom).toBe(0.9);
  });

  it("leaves nobody listening when it goes", () => {
    const pair = pairOf();
    const counts = () => pair.explorers.map(({ store, sight }) => [store.listening, sight.listening]);
    expect(
      counts()
        .flat()
        .some((count) => count > 0),
    ).toBe(true);
    pair.dispose();
    expect(counts().flat()).toEqual([0, 0, 0, 0]);
  });
});
