/**
 * What two columns show at one height while nothing is selected: the first visible change that both have,
 * else the first visible box that both have. Pure.
 */

import { slotsIn } from "../../canvas/drawlist";
import type { Rect } from "../../geometry/camera";
import { Kind } from "../../layout";
import { otherSide, type Side } from "../model/changes";
import type { Pair } from "../model/pair";
import { rectOfSlot, slotOf } from "./scene_offset";

/** The box on each side, in that side's world. */
export type Anchor = readonly [Rect, Rect];

/** `view`: the visible part of a side's world. */
export function anchorIn(pair: Pair, side: Side, view: Rect): Anchor | undefined {
  const { scene } = pair.explorers[side].state;
  const slots = slotsIn({ scene, rect: scene.rect }, view).filter(
    (slot) => scene.kind[slot] !== Kind.Open && (scene.rect[4 * slot + 1] ?? 0) >= view.y,
  );
  const inOrder = slots.sort((p, q) => yOf(scene.rect, p) - yOf(scene.rect, q) || p - q);
  return firstMet(pair, side, inOrder, true) ?? firstMet(pair, side, inOrder, false);
}

const yOf = (rect: ArrayLike<number>, slot: number): number => rect[4 * slot + 1] ?? 0;

function firstMet(pair: Pair, side: Side, slots: readonly number[], isChange: boolean): Anchor | undefined {
  const { scene } = pair.explorers[side].state;
  for (const slot of slots) {
    const item = scene.item[slot] ?? -1;
    if (isChange !== isChanged(pair, side, item)) continue;
    const counterpart = counterpartOf(pair, side, item);
    if (counterpart < 0) continue;
    const here = rectOfSlot(scene, slot);
    const there = rectOfSlot(pair.explorers[otherSide(side)].state.scene, counterpart);
    return side === 0 ? [here, there] : [there, here];
  }
  return undefined;
}

function isChanged(pair: Pair, side: Side, item: number): boolean {
  const tally = pair.tally(side);
  const { picture } = pair.explorers[side];
  return picture.isGroup(item) ? tally.changesIn(item) > 0 : tally.kind(item) !== "same";
}

/** The slot of a box's counterpart, if it is visible as its own box; the highest of several. */
function counterpartOf(pair: Pair, side: Side, item: number): number {
  const { picture } = pair.explorers[side];
  const { state } = pair.explorers[otherSide(side)];
  if (picture.isGroup(item)) return state.scene.slotOf[pair.counterparts.of(side, item)] ?? -1;
  const node = picture.nodeOf(item);
  const slots = (node < 0 ? [] : pair.across(side, [node])).map((each) => slotOf(state, each));
  const seen = slots.filter((slot) => slot >= 0 && state.scene.kind[slot] === Kind.Leaf);
  return seen.sort((p, q) => yOf(state.scene.rect, p) - yOf(state.scene.rect, q))[0] ?? -1;
}
