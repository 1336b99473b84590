/** Sizes of boxes, each made when its box is first seen: a program of thousands begins with a dozen in view. */
import type { Hierarchy } from "../layout";
import { BOX, type Measure, MODULE, moduleWidth, nodeWidth, PLANNED, shortChip } from "./sizes";
import type { Words } from "./words";

/** Boxes that are sized in one step. */
const STEP = 100;

export class Sizing {
  /** World pixels by item; 0 until the item is sized. */
  readonly width: Float64Array;
  readonly height: Float64Array;
  /** By item: of groups that begin a run of equals, how many there are; else 0. */
  private readonly equals: Int32Array;
  private readonly known = new Map<string, number>();
  private isWhole = false;

  constructor(
    private readonly hierarchy: Hierarchy,
    private readonly words: Words,
    private readonly measure: Measure,
  ) {
    this.width = new Float64Array(hierarchy.root);
    this.height = new Float64Array(hierarchy.root);
    this.equals = equalsAfter(hierarchy);
  }

  size(items: ArrayLike<number>): void {
    if (this.isWhole) return;
    for (let i = 0; i < items.length; i++) this.sizeOne(items[i] ?? 0);
  }

  sizeAll(): void {
    for (const _ of this.steps());
  }

  /** The same in steps of a part of a millisecond; what `size` makes meanwhile is not made again. */
  *steps(): Generator<void, void> {
    if (this.isWhole) return;
    for (let item = 0; item < this.width.length; item++) {
      this.sizeOne(item);
      if (item % STEP === STEP - 1) yield;
    }
    this.isWhole = true;
    this.known.clear();
  }

  private sizeOne(item: number): void {
    if (this.height[item] !== 0) return;
    const group = this.hierarchy.tree.isGroup[item] === 1;
    const last = this.lastOfRun(item);
    const title = this.words.titleOfRun(item, last);
    const second = this.words.subtitle(item);
    const more = group ? [...this.words.badges(item)] : this.words.chips(item).map(sized);
    if (last !== item) more.push(`×${this.equals[item]}`);
    const lines = !group && more.length ? this.words.linesInto(item) : 0;
    const text = [group, Math.min(lines, 2), title, second, ...more].join("\n");
    const wide =
      this.known.get(text) ??
      (group
        ? moduleWidth(title, second, more, this.measure)
        : nodeWidth(title, second, more, lines, this.measure));
    this.known.set(text, wide);
    this.width[item] = wide;
    this.height[item] = group ? MODULE.height : BOX.height;
  }

  /** The last of the equals that a group begins; itself where it begins none. */
  private lastOfRun(item: number): number {
    const count = this.equals[item] ?? 0;
    if (!count) return item;
    const { children, parent } = this.hierarchy;
    const [from, to] = [children.start[parent[item] ?? 0] ?? 0, children.start[(parent[item] ?? 0) + 1] ?? 0];
    return children.item[children.item.subarray(from, to).indexOf(item) + from + count - 1] ?? item;
  }
}

/** What a memory plan says gives way: every box has such a chip then. */
const sized = (chip: string): string => (chip.includes(PLANNED) ? shortChip(chip) : chip);

/** Equal groups that follow each other among their siblings may stand as one: its box has room for what it says then. */
function equalsAfter({ children, tree, root }: Hierarchy): Int32Array {
  const equals = new Int32Array(root);
  const shapeAt = (at: number): number => {
    const item = children.item[at] ?? 0;
    return tree.isGroup[item] ? (tree.shape[item] ?? 0) : 0;
  };
  for (let group = 0; group <= root; group++) {
    const end = children.start[group + 1] ?? 0;
    for (let first = children.start[group] ?? 0; first < end; ) {
      let next = first + 1;
      const shape = shapeAt(first);
      while (next < end && shape !== 0 && shapeAt(next) === shape) next++;
      if (next - first > 1) equals[children.item[first] ?? 0] = next - first;
      first = next;
    }
  }
  return equals;
}
