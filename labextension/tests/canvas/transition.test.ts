/**
 * Between stages boxes move, split and merge; the user can drag the motion, reverse it, or have none at all.
 */
import { afterEach, expect, test, vi } from "vitest";
import { DURATION, STAGE_DURATION } from "../../src/canvas/motion";
import { type Ghost, Transition } from "../../src/canvas/transition";
import type { Camera } from "../../src/geometry/camera";
import { Picture } from "../../src/picture";
import { passage } from "../../src/stages";
import { Store, type ViewportState } from "../../src/store";
import { sevenWide, snapshotOf, stack } from "../programs";

afterEach(() => vi.restoreAllMocks());

const pictureOf = (layers: number): Picture => {
  const snapshot = snapshotOf(stack(layers));
  return new Picture(snapshot, snapshot.graph(0), true, sevenWide);
};

const stageOf = (layers: number) => {
  const picture = pictureOf(layers);
  const open = new Set(Array.from({ length: picture.count }, (_, i) => i));
  return { picture, scene: picture.layout.scene(picture.view(open, new Set())) };
};

/**
 * Two stages that share every item of the smaller one except its last; every new leaf comes from the first
 * leaf of the old stage, and the last leaf of the old stage becomes the first of the new one.
 */
function step(isCalm: boolean) {
  const [old, next] = [stageOf(3), stageOf(5)];
  const shared = old.picture.count - 1;
  const pair = (count: number) => Int32Array.from({ length: count }, (_, i) => (i < shared ? i : -1));
  const first = ({ picture }: typeof old): number => picture.nodeOf(picture.hierarchy.leaf[0] ?? -1);
  const pairs = { before: pair(next.picture.count), after: pair(old.picture.count) };
  const relatives = {
    ancestor: new Int32Array(next.picture.snapshot.nodeCount).fill(first(old)),
    descendant: new Int32Array(old.picture.snapshot.nodeCount).fill(first(next)),
  };
  const way = passage(old, next, pairs, relatives);
  const back = passage(
    next,
    old,
    { before: pairs.after, after: pairs.before },
    { ancestor: relatives.descendant, descendant: relatives.ancestor },
  );
  const camera: Camera = { x: 0, y: 0, zoom: 1 };
  const viewport = new Store<ViewportState>({
    camera,
    screen: { width: 800, height: 600 },
    target: undefined,
  });
  const transition = new Transition(old.scene, viewport, () => isCalm);
  transition.change(next.picture, next.scene, way);
  return { transition, viewport, way, back, old, next, start: performance.now() };
}

function ghostOf(transition: Transition): Ghost {
  const ghost = transition.ghost();
  if (!ghost) throw new Error("Nothing of the stage before is seen.");
  return ghost;
}

const boxAt = (rect: Float64Array, slot: number) => Array.from(rect.slice(4 * slot, 4 * slot + 4));

/** The parts of a box are inside it. */
function expectWithin(part: readonly number[], whole: readonly number[]): void {
  const [x = 0, y = 0, width = 0, height = 0] = part;
  const [left = 0, top = 0, wide = 0, high = 0] = whole;
  expect(x).toBeGreaterThanOrEqual(left - 1e-9);
  expect(y).toBeGreaterThanOrEqual(top - 1e-9);
  expect(x + width).toBeLessThanOrEqual(left + wide + 1e-9);
  expect(y + height).toBeLessThanOrEqual(top + high + 1e-9);
}

const slots = (numbers: Int32Array, holds: (number: number) => boolean): number[] =>
  [...numbers.keys()].filter((slot) => holds(numbers[slot] ?? -1));

test("at the start a box is where it was, and a new one is a part of the box that it splits from", () => {
  const { transition, way, next, old } = step(false);
  way.origin.forEach((from, slot) => {
    expect(transition.strength?.[slot]).toBe(from < 0 ? 0 : 1);
    if (from >= 0) expect(boxAt(transition.rect, slot)).toEqual(boxAt(old.scene.rect, from));
  });
  const split = slots(way.splitFrom, (from) => from >= 0);
  expect(split.length).toBeGreaterThan(1);
  for (const slot of split)
    expectWithin(boxAt(transition.rect, slot), boxAt(old.scene.rect, way.splitFrom[slot] ?? -1));
  const tops = new Set(split.map((slot) => boxAt(transition.rect, slot)[1]));
  expect(tops.size).toBe(split.length);
  expect(next.scene.item.length).toBeGreaterThan(old.scene.item.length);
});

test("a box that disappears merges into its successor; at the end all boxes have stopped", () => {
  const { transition, way, next, start } = step(false);
  const going = slots(way.destination, (to) => to < 0);
  expect(going.length).toBeGreaterThan(0);
  const strength = (): number[] => going.map((slot) => transition.ghost()?.strength[slot] ?? -1);
  expect(strength()).toEqual(going.map(() => 1));
  transition.advance(start + 0.79 * STAGE_DURATION);
  expect(strength()).toEqual(going.map(() => 0));
  const merged = going.filter((slot) => (way.mergesInto[slot] ?? -1) >= 0);
  expect(merged.length).toBeGreaterThan(0);
  transition.advance(start + 0.82 * STAGE_DURATION);
  const ghost = ghostOf(transition);
  for (const slot of merged)
    expectWithin(boxAt(ghost.rect, slot), boxAt(next.scene.rect, way.mergesInto[slot] ?? -1));
  transition.advance(start + 2 * STAGE_DURATION);
  expect([transition.isOn, transition.strength, transition.ghost(), transition.lines]).toEqual([
    false,
    undefined,
    undefined,
    1,
  ]);
  expect(transition.rect).toBe(next.scene.rect);
});

test("with reduced motion all boxes are in place at once", () => {
  const { transition, next } = step(true);
  expect([transition.isOn, transition.strength, transition.ghost()]).toEqual([false, undefined, undefined]);
  expect(transition.rect).toBe(next.scene.rect);
});

test("the user drags it back and forth, which needs no frames; after the release the motion continues", () => {
  const { transition, viewport, start, next } = step(false);
  const at = (scrub: number | undefined, now: number): number[] => {
    viewport.set({ scrub });
    transition.advance(now);
    return Array.from(transition.rect);
  };
  const half = at(0.5, start);
  expect(transition.isOn).toBe(false);
  expect(at(0.9, start + 10)).not.toEqual(half);
  expect(at(0.5, start + 5000)).toEqual(half);
  const later = start + 9000;
  expect(at(undefined, later)).toEqual(half);
  expect(transition.isOn).toBe(true);
  transition.advance(later + 0.51 * STAGE_DURATION);
  expect(transition.rect).toBe(next.scene.rect);
});

test("reversed in the middle, every box continues from its position and opacity", () => {
  const { transition, way, back, old, start } = step(false);
  transition.advance(start + 0.4 * STAGE_DURATION);
  const { rect, strength } = transition;
  const ghost = ghostOf(transition);
  vi.spyOn(performance, "now").mockReturnValue(start + 0.4 * STAGE_DURATION);
  transition.change(old.picture, old.scene, back);
  for (let slot = 0; slot < old.scene.item.length; slot++) {
    const to = way.destination[slot] ?? -1;
    expect(boxAt(transition.rect, slot)).toEqual(to < 0 ? boxAt(ghost.rect, slot) : boxAt(rect, to));
    expect(transition.strength?.[slot]).toBe(to < 0 ? ghost.strength[slot] : 1);
  }
  const going = ghostOf(transition);
  for (const slot of slots(way.origin, (from) => from < 0)) {
    expect(boxAt(going.rect, slot)).toEqual(boxAt(rect, slot));
    expect(going.strength[slot]).toBe(strength?.[slot]);
  }
  transition.advance(performance.now() + 2 * STAGE_DURATION);
  expect(transition.rect).toBe(old.scene.rect);
});

test("a new camera target does not restart the motion of the boxes", () => {
  const { transition, viewport, start } = step(false);
  transition.advance(start + 0.5 * STAGE_DURATION);
  const half = transition.rect;
  transition.goTo({ x: 100, y: 50, zoom: 1 });
  transition.advance(start + 0.5 * STAGE_DURATION);
  expect(transition.rect).toEqual(half);
  transition.advance(performance.now() + STAGE_DURATION + DURATION);
  expect(viewport.state.camera).toEqual({ x: 100, y: 50, zoom: 1 });
});
