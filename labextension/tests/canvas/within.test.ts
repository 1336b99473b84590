/** The cost of a tile depends on its content, not on the size of the scene. */
import { expect, test } from "vitest";
import { groundList } from "../../src/canvas/drawlist";
import { type Look, NO_MARKS, plainLook } from "../../src/canvas/look";
import type { LinesPrimitive } from "../../src/canvas/primitives";
import type { Scene } from "../../src/layout";
import { Picture } from "../../src/picture";
import { sevenWide, snapshotOf, stack } from "../programs";
import { theme } from "./theme";

const camera = { x: 0, y: 60, zoom: 1 };
const tile = { width: 300, height: 500 };

/** A scene that counts reads of its elements. */
class Watched {
  readonly look: Look;
  private reads = 0;

  constructor(blocks: number) {
    const snapshot = snapshotOf(stack(blocks));
    const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
    const groups = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
      picture.isGroup(item),
    );
    const scene = picture.layout.scene(picture.view(new Set(groups), new Set()));
    const watched = { ...this.watch(scene), strokes: this.watch(scene.strokes) };
    this.look = plainLook(picture, watched, theme, sevenWide);
  }

  get scene(): Scene {
    return this.look.scene;
  }

  /** For the tile's second painting: what is cached per scene exists. */
  cost(more: Partial<Look>): number {
    const look = { ...this.look, ...more };
    groundList(look, camera, tile);
    this.reads = 0;
    groundList(look, camera, tile);
    return this.reads;
  }

  private watch<T extends object>(arrays: T): T {
    const entries = Object.entries(arrays).map(([key, value]) => [
      key,
      ArrayBuffer.isView(value) ? this.counted(value) : value,
    ]);
    return Object.fromEntries(entries) as T;
  }

  private counted<A extends object>(array: A): A {
    return new Proxy(array, {
      get: (of, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) this.reads++;
        const value: unknown = Reflect.get(of, key);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          this.reads += Reflect.get(of, "length") as number;
          return value.apply(of, given);
        };
      },
    });
  }
}

const few = new Watched(30);
const many = new Watched(300);

const LOOKS: readonly (readonly [what: string, more: (scene: Scene) => Partial<Look>])[] = [
  ["nothing is marked", () => ({})],
  ["a box is selected", () => ({ marks: { ...NO_MARKS, selected: new Set([5]) } })],
  ["all is lit", ({ item }) => ({ marks: { ...NO_MARKS, bright: new Uint8Array(item.length).fill(1) } })],
];

test.each(LOOKS)("a tile of a scene ten times as large reads no more of it: %s", (_, more) => {
  expect(many.scene.item.length).toBeGreaterThan(9 * few.scene.item.length);
  const cost = few.cost(more(few.scene));
  expect(cost).toBeGreaterThan(20);
  expect(many.cost(more(many.scene))).toBeLessThan(1.5 * cost);
});

test("a tile has all lines that a picture of the whole scene has in it", () => {
  const { look, scene } = few;
  const bright = new Uint8Array(scene.item.length).fill(1);
  const linesOf = (size: typeof tile): LinesPrimitive[] =>
    groundList({ ...look, marks: { ...NO_MARKS, bright } }, camera, size).filter(
      (each): each is LinesPrimitive => each.type === "lines",
    );
  const all = linesOf({ width: scene.width, height: scene.height });
  const inTile = linesOf(tile);
  expect(inTile.map(({ of, dashed }) => [of, dashed])).toEqual(all.map(({ of, dashed }) => [of, dashed]));
  inTile.forEach(({ of, ids }, i) => {
    const { points, pointStart } = of === "strokes" ? scene.strokes : scene;
    const seen = (all[i]?.ids ?? []).filter((id) => {
      for (let p = pointStart[id] ?? 0; p < (pointStart[id + 1] ?? 0); p++) {
        const [x = -1, y = -1] = [points[2 * p], points[2 * p + 1]];
        const [right, bottom] = [camera.x + tile.width, camera.y + tile.height];
        if (x >= camera.x && x <= right && y >= camera.y && y <= bottom) return true;
      }
      return false;
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(ids).toEqual(expect.arrayContaining(seen));
    expect(ids.length).toBeLessThan((all[i]?.ids.length ?? 0) / 2);
  });
});
