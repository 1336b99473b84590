/** What the pointer is on in one column, and what is highlighted for it in the others. No DOM. */
import type { State, Store } from "../../store";
import { slotsOfItems, slotsOfNodes } from "../camera/scene_offset";
import type { Pair } from "../model/pair";
import type { Row } from "../model/row";
import type { Hovered, PairState } from "../model/state";

export class Hover {
  constructor(
    private readonly row: Row,
    private readonly store: Store<PairState>,
  ) {}

  /** The pointer is on a slot of a column; -1 for none. */
  hover(column: number, slot: number): void {
    const { scene, picture } = this.row.explorer(column).state;
    const item = slot < 0 || scene.kind[slot] === 2 ? -1 : (scene.item[slot] ?? -1);
    const before = this.store.state.hovered;
    if (item < 0 ? !before : before?.column === column && before.item === item) return;
    this.store.set({ hovered: item < 0 ? undefined : this.hoveredAt(column, item, picture) });
  }

  /**
   * The slots of a column to highlight for what the pointer is on in another column. A module highlights its
   * counterpart.
   */
  highlighted(column: number): ReadonlySet<number> {
    const { hovered } = this.store.state;
    if (!hovered || hovered.column === column) return NOTHING;
    const { state } = this.row.explorer(column);
    return new Set([
      ...slotsOfItems(hovered.groups[column] ?? [], state),
      ...slotsOfNodes(hovered.nodes[column] ?? [], state),
    ]);
  }

  /** Matches of a pair whose nodes are joined by threads: those under the pointer, else the selected ones. */
  threaded(pair: Pair): readonly number[] {
    const { hovered, nodes } = this.store.state;
    const isOfNodes = hovered?.nodes.some((each) => each.length > 0);
    return this.row.matches(pair, hovered && isOfNodes ? hovered.nodes : nodes);
  }

  private hoveredAt(column: number, item: number, picture: State["picture"]): Hovered {
    const isGroup = picture.isGroup(item);
    const node = isGroup ? -1 : picture.nodeOf(item);
    return {
      column,
      item,
      nodes: this.row.nodes(column, node < 0 ? [] : [node]),
      groups: this.row.boxes(column, isGroup ? [item] : []),
    };
  }
}

const NOTHING: ReadonlySet<number> = new Set();
