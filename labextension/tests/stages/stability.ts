/** How stable a picture is from one stage to the next: orders kept, pixels moved on the screen. */

import type { Explorer } from "../../src/explorer";
import type { Camera } from "../../src/geometry/camera";
import type { Scene } from "../../src/layout";
import type { Picture } from "../../src/picture";

export interface Stillness {
  /** Slots of the new scene that existed before, and all of them. */
  readonly persistent: number;
  readonly boxes: number;
  /** Pairs of persistent boxes side by side in one module, and how many kept their order. */
  readonly besides: number;
  readonly kept: number;
  /** The same for pairs one above the other. */
  readonly stacked: number;
  readonly keptStacked: number;
  /** The median of the horizontal pixels by which persistent boxes in view moved on the screen. */
  readonly median: number;
}

/** Boxes whose middles differ by less than this in y are side by side. */
const NEAR = 20;

export interface Before {
  readonly scene: Scene;
  readonly camera: Camera;
}

export const here = ({ state, viewportStore }: Explorer): Before => ({
  scene: state.scene,
  camera: viewportStore.state.target ?? viewportStore.state.camera,
});

export function stillness(explorer: Explorer, before: Before): Stillness {
  const { scene, passage, picture } = explorer.state;
  if (!passage) throw new Error(`Nothing was passed: ${explorer.state.problem}`);
  const { camera } = here(explorer);
  const { origin } = passage;
  let [besides, kept, stacked, keptStacked] = [0, 0, 0, 0];
  for (const slots of byModule(picture, scene, origin)) {
    for (const [i, a] of slots.entries()) {
      for (const b of slots.slice(i + 1)) {
        const old = apart(before.scene, origin[a] ?? 0, origin[b] ?? 0);
        const now = apart(scene, a, b);
        if (Math.abs(old.y) < NEAR && Math.abs(old.x) > 1) {
          besides++;
          if (Math.sign(now.x) === Math.sign(old.x)) kept++;
        } else if (Math.abs(old.y) >= NEAR) {
          stacked++;
          if (Math.sign(now.y) === Math.sign(old.y)) keptStacked++;
        }
      }
    }
  }
  const moves = Array.from(origin, (old, slot) => ({ old, slot }))
    .filter(({ old }) => old >= 0)
    .map(({ old, slot }) =>
      Math.abs(onScreen(scene, slot, camera) - onScreen(before.scene, old, before.camera)),
    )
    .sort((a, b) => a - b);
  return {
    persistent: moves.length,
    boxes: scene.item.length,
    besides,
    kept,
    stacked,
    keptStacked,
    median: moves[moves.length >> 1] ?? 0,
  };
}

const middle = ({ rect }: Scene, slot: number, axis: 0 | 1): number =>
  (rect[4 * slot + axis] ?? 0) + (rect[4 * slot + 2 + axis] ?? 0) / 2;

const apart = (scene: Scene, a: number, b: number): { x: number; y: number } => ({
  x: middle(scene, a, 0) - middle(scene, b, 0),
  y: middle(scene, a, 1) - middle(scene, b, 1),
});

const onScreen = (scene: Scene, slot: number, camera: Camera): number =>
  (middle(scene, slot, 0) - camera.x) * camera.zoom;

function byModule(picture: Picture, scene: Scene, origin: Int32Array): Iterable<number[]> {
  const modules = new Map<number, number[]>();
  scene.item.forEach((item, slot) => {
    if ((origin[slot] ?? -1) < 0) return;
    const module = picture.parentOf(item);
    modules.set(module, [...(modules.get(module) ?? []), slot]);
  });
  return modules.values();
}
