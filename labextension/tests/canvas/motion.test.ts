import { expect, test } from "vitest";
import { eased, mixedRects, startRects } from "../../src/canvas/motion";
import { Picture } from "../../src/picture";
import { sevenWide, snapshotOf, stack } from "../programs";

const snapshot = snapshotOf(stack(3));
const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
const model = picture.itemAt("forward:L__self__model") ?? -1;
const closed = picture.layout.scene(picture.view(new Set(), new Set()));
const open = picture.layout.scene(picture.view(new Set([model]), new Set()));

const slotBefore = (slot: number): number => closed.slotOf[open.item[slot] ?? -1] ?? -1;

test("a visible item starts where it was; others grow out of the module that contained them", () => {
  const start = startRects(picture, closed.rect, open, slotBefore);
  const at = (scene: typeof open, item: number, rect = scene.rect): number[] => {
    const slot = scene.slotOf[item] ?? -1;
    return Array.from(rect.subarray(4 * slot, 4 * slot + 4));
  };
  expect(at(open, model, start)).toEqual(at(closed, model));
  const inner = open.item[open.item.length - 1] ?? -1;
  const [x = 0, y = 0, width = 0, height = 0] = at(open, inner, start);
  const [left = 0, top = 0, wide = 0, high = 0] = at(closed, model);
  expect(x).toBeGreaterThanOrEqual(left);
  expect(y).toBeGreaterThanOrEqual(top);
  expect(x + width).toBeLessThanOrEqual(left + wide + 1e-9);
  expect(y + height).toBeLessThanOrEqual(top + high + 1e-9);
});

test("it ends at the positions of the layout", () => {
  const start = startRects(picture, closed.rect, open, slotBefore);
  expect(mixedRects(start, open.rect, 1)).toEqual(open.rect);
  expect([eased(-1), eased(0), eased(1), eased(2)]).toEqual([0, 0, 1, 1]);
});
