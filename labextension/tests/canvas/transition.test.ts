/** Between stages: what persists glides, what comes and goes fades; all stands at once where motion is unwelcome. */
import { expect, test } from "vitest";
import { DURATION } from "../../src/canvas/motion";
import { Transition } from "../../src/canvas/transition";
import type { Camera } from "../../src/geometry/camera";
import { Picture } from "../../src/picture";
import { type Passage, passage } from "../../src/stages";
import { Store, type ViewportState } from "../../src/store";
import { sevenWide, snapshotOf, stack } from "../programs";

const pictureOf = (layers: number): Picture => {
  const snapshot = snapshotOf(stack(layers));
  return new Picture(snapshot, snapshot.graph(0), true, sevenWide);
};

/** Two stages that share every item of the smaller one but its last. */
function step(isCalm: boolean) {
  const [old, next] = [pictureOf(3), pictureOf(5)];
  const sceneOf = (picture: Picture) =>
    picture.layout.scene(
      picture.view(new Set(Array.from({ length: picture.count }, (_, i) => i)), new Set()),
    );
  const [from, to] = [sceneOf(old), sceneOf(next)];
  const shared = old.count - 1;
  const before = Int32Array.from({ length: next.count }, (_, i) => (i < shared ? i : -1));
  const after = Int32Array.from({ length: old.count }, (_, i) => (i < shared ? i : -1));
  const way: Passage = passage({ picture: old, scene: from }, to, { before, after });
  const camera: Camera = { x: 0, y: 0, zoom: 1 };
  const sight = new Store<ViewportState>({ camera, screen: { width: 800, height: 600 }, target: undefined });
  const transition = new Transition(from, sight, () => isCalm);
  transition.change(next, to, way);
  return { transition, way, to, from };
}

test("at first what persists is where it was and what is new is not there; at the end all stands", () => {
  const { transition, way, to, from } = step(false);
  const start = performance.now();
  way.origin.forEach((old, slot) => {
    expect(transition.strength?.[slot]).toBe(old < 0 ? 0 : 1);
    if (old >= 0)
      expect(transition.rect.slice(4 * slot, 4 * slot + 4)).toEqual(from.rect.slice(4 * old, 4 * old + 4));
  });
  expect(way.origin.some((old) => old < 0) && way.leaves.some((leaves) => leaves === 1)).toBe(true);
  transition.advance(start + DURATION / 2);
  const ghost = transition.ghost();
  way.leaves.forEach((leaves, slot) => {
    const strength = ghost?.strength[slot] ?? -1;
    if (leaves) expect(strength).toBeGreaterThan(0);
    else expect(strength).toBe(0);
  });
  transition.advance(start + 2 * DURATION);
  expect([transition.isOn, transition.strength, transition.ghost()]).toEqual([false, undefined, undefined]);
  expect(transition.rect).toBe(to.rect);
});

test("with reduced motion all stands at once", () => {
  const { transition, to } = step(true);
  expect([transition.isOn, transition.strength, transition.ghost()]).toEqual([false, undefined, undefined]);
  expect(transition.rect).toBe(to.rect);
});
