/** Sizes of boxes, computed when first shown: a program of thousands begins with a dozen visible ones. */
import type { Hierarchy } from "../layout";
import type { BoxLabels } from "./box_labels";
import { BOX, type Measure, MODULE, moduleWidth, nodeWidth, roomFor } from "./sizes";

/** Boxes that are sized in one step. */
const STEP = 100;

export class Sizing {
  /** World pixels by item; 0 until the item is sized. */
  readonly width: Float64Array;
  readonly height: Float64Array;
  /** For the first group of each run of identical ones. */
  private readonly runs: ReadonlyMap<number, Equals>;
  private readonly known = new Map<string, number>();
  private isWhole = false;

  constructor(
    private readonly hierarchy: Hierarchy,
    private readonly words: BoxLabels,
    private readonly measure: Measure,
  ) {
    this.width = new Float64Array(hierarchy.root);
    this.height = new Float64Array(hierarchy.root);
    this.runs = equalsAfter(hierarchy);
  }

  size(items: ArrayLike<number>): void {
    if (this.isWhole) return;
    for (let i = 0; i < items.length; i++) this.sizeOne(items[i] ?? 0);
  }

  sizeAll(): void {
    for (const _ of this.steps());
  }

  /** The same in steps of less than a millisecond; skips what `size` has computed meanwhile. */
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
    const run = this.runs.get(item);
    const title = this.words.titleOfRun(item, run?.last ?? item);
    const second = this.words.subtitle(item);
    const repeat = run ? `×${run.count}` : "";
    const badges = group ? [...this.words.badges(item), repeat].filter(Boolean) : [];
    const chips = group ? [] : this.words.chips(item);
    if (!group && repeat) chips.push({ text: repeat, short: repeat });
    const lines = chips.length ? this.words.linesInto(item) : 0;
    const text = [group, Math.min(lines, 2), title, second, ...badges, ...chips.map(roomFor)].join("\n");
    const wide =
      this.known.get(text) ??
      (group
        ? moduleWidth(title, second, badges, this.measure, this.words.cpuBadge(item))
        : nodeWidth(title, second, chips, lines, this.measure));
    this.known.set(text, wide);
    this.width[item] = wide;
    this.height[item] = group ? MODULE.height : BOX.height;
  }
}

interface Equals {
  readonly last: number;
  readonly count: number;
}

/** Consecutive identical groups may be folded into one box, which needs room for its text. */
function equalsAfter({ children, tree, root }: Hierarchy): Map<number, Equals> {
  const equals = new Map<number, Equals>();
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
      const [head = 0, last = 0] = [children.item[first], children.item[next - 1]];
      if (next - first > 1) equals.set(head, { last, count: next - first });
      first = next;
    }
  }
  return equals;
}
