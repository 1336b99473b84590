/** State → what is highlighted in its scene. The last answer is cached, because every frame needs it. */
import type { State } from "../store";
import { focusNodes, slotsOf } from "./focus";

/** Highlighted slots and edges. */
export interface Marks {
  readonly selected: ReadonlySet<number>;
  /** What shows, or hides, other parts of a delegate of which a part is selected. */
  readonly parts?: ReadonlySet<number>;
  /** Slot under the pointer, or -1. */
  readonly hovered: number;
  /** Edge under the pointer or selected, or -1. */
  readonly edge: number;
  /** By slot: 1 is normal, 0 is dimmed. */
  readonly bright?: Uint8Array;
  /** By slot: 1 contains a search result. */
  readonly matches?: Uint8Array;
}

type MarkInput = Pick<State, "picture" | "scene" | "selected" | "edge" | "focus" | "brush" | "results">;

export class Marker {
  private input: MarkInput | undefined;
  private answer: Omit<Marks, "hovered"> = { selected: new Set(), edge: -1 };

  /** `hovered`: the slot under the pointer, or -1. */
  marks(state: State, hovered: number): Marks {
    const { picture, scene, selected, edge, focus, brush, results } = state;
    const input = { picture, scene, selected, edge, focus, brush, results };
    const before = this.input;
    if (!before || (Object.keys(input) as (keyof MarkInput)[]).some((key) => input[key] !== before[key])) {
      this.input = input;
      this.answer = answerOf(input);
    }
    const pointed =
      state.pointed < 0
        ? -1
        : visible(picture.parentOf.bind(picture), (item) => scene.slotOf[item] ?? -1, state.pointed);
    return { ...this.answer, hovered: pointed >= 0 ? pointed : hovered };
  }
}

function answerOf({
  picture,
  scene,
  selected,
  edge,
  focus,
  brush,
  results,
}: MarkInput): Omit<Marks, "hovered"> {
  const slot = (item: number): number => scene.slotOf[item] ?? -1;
  const shown = (nodes: Iterable<number>): Uint8Array =>
    slotsOf(picture, scene.slotOf, scene.item.length, nodes);
  const isBrushed = brush?.snapshot === picture.snapshot;
  const bright = isBrushed
    ? shown(brush.nodes)
    : focus && selected.length
      ? shown(focusNodes(picture, selected, focus))
      : undefined;
  const slotsShowing = (items: readonly number[]): Set<number> => {
    const slots = new Set(items.map((item) => visible(picture.parentOf.bind(picture), slot, item)));
    slots.delete(-1);
    return slots;
  };
  const slots = slotsShowing(selected);
  const parts = slotsShowing(selected.flatMap((item) => picture.otherParts(item)));
  for (const each of slots) parts.delete(each);
  return {
    selected: slots,
    ...(parts.size > 0 && { parts }),
    edge: edge ? edgeOf(scene, edge.source, edge.target, edge.value) : -1,
    ...(bright && { bright }),
    ...(results.nodes.length > 0 && { matches: shown(results.nodes) }),
  };
}

/** The slot of an item, or of the closed group that hides it. */
function visible(parentOf: (item: number) => number, slot: (item: number) => number, item: number): number {
  for (let at = item; at !== -1; at = parentOf(at)) if (slot(at) >= 0) return slot(at);
  return -1;
}

function edgeOf(scene: State["scene"], source: number, target: number, value: number): number {
  const [from, to] = [scene.slotOf[source], scene.slotOf[target]];
  for (let e = 0; e < scene.edgeSource.length; e++) {
    if (scene.edgeSource[e] === from && scene.edgeTarget[e] === to && scene.edgeValue[e] === value) return e;
  }
  return -1;
}
