/** Sizes of boxes, each made when its box is first seen: a program of thousands begins with a dozen in view. */
import { BOX, type Measure, MODULE, moduleWidth, nodeWidth } from "./sizes";
import type { Words } from "./words";

/** Boxes that are sized in one step. */
const STEP = 100;

/** What an open module may say beside its badges. */
const ROOM = "one of 000";

export class Sizing {
  /** World pixels by item; 0 until the item is sized. */
  readonly width: Float64Array;
  readonly height: Float64Array;
  private readonly known = new Map<string, number>();
  private isWhole = false;

  constructor(
    private readonly isGroup: Uint8Array,
    private readonly words: Words,
    private readonly measure: Measure,
  ) {
    this.width = new Float64Array(isGroup.length);
    this.height = new Float64Array(isGroup.length);
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
    const group = this.isGroup[item] === 1;
    const title = this.words.title(item);
    const second = this.words.subtitle(item);
    const room = this.words.opsOf(item) > 0 ? [ROOM] : [];
    const more = group ? [...this.words.badges(item), ...room] : this.words.chips(item);
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
}
