/** The changes in the boxes of a graph: the kind of a leaf, the counts by kind of a group. */
import type { Scene } from "../../layout";
import { itemsAt, type Picture } from "../../picture";
import { NONE } from "../../snapshot";
import { type Changes, changed, type Side } from "./changes";
import { type Counts, KINDS, type MatchKind } from "./schema";

const KIND_COUNT = KINDS.length;

export class Tally {
  /** Items of boxes that show a change, in the hierarchy's order. */
  readonly changedLeaves: readonly number[];
  /** By leaf in the hierarchy's order: the counts by kind before it. */
  private readonly before: Int32Array;
  /** By the first item and the length of a folded run. */
  private readonly runs = new Map<number, Counts>();
  /** For the same runs, the members that changed differently from the previous one. */
  private readonly unlike = new Map<number, readonly number[]>();
  /** By box that draws a part of a module. */
  private readonly parts = new Map<number, Counts>();

  constructor(
    private readonly changes: Changes,
    private readonly picture: Picture,
    private readonly side: Side,
  ) {
    const { leaf } = picture.hierarchy;
    this.before = new Int32Array((leaf.length + 1) * KIND_COUNT);
    const changedLeaves: number[] = [];
    leaf.forEach((item, i) => {
      this.before.copyWithin((i + 1) * KIND_COUNT, i * KIND_COUNT, (i + 1) * KIND_COUNT);
      const kind = this.kind(item);
      if (kind !== "same") changedLeaves.push(item);
      const at = (i + 1) * KIND_COUNT + KINDS.indexOf(kind);
      this.before[at] = (this.before[at] ?? 0) + 1;
    });
    this.changedLeaves = changedLeaves;
  }

  /** The kind of a box that shows a node. An unchanged node counts as changed if state folded into it is. */
  kind(item: number): MatchKind {
    const node = this.picture.nodeOf(item);
    const own = node < 0 ? "same" : this.changes.kindOf(this.side, node);
    if (own !== "same") return own;
    const isOther = (chip: number): boolean => this.changes.kindOf(this.side, chip) === "changed";
    return this.picture.chipsOf(item).some(isOther) ? "changed" : own;
  }

  /**
   * The counts of a group. For a module the comparison's counts, which include nodes that only the other side
   * has; else those of its nodes. Of several boxes of one module each counts its own nodes, and the first
   * also counts the other side's.
   */
  counts(item: number): Counts {
    const scope = this.picture.scopeOf(item);
    const change = scope === NONE ? undefined : this.changes.module(this.side, scope);
    if (!change) return this.nodesWithin(item);
    return this.picture.moduleItems(scope).length > 1
      ? this.partOf(item, scope, change.counts)
      : change.counts;
  }

  private partOf(item: number, scope: number, whole: Counts): Counts {
    const known = this.parts.get(item) ?? this.makePart(item, scope, whole);
    this.parts.set(item, known);
    return known;
  }

  private makePart(item: number, scope: number, whole: Counts): Counts {
    const own = this.nodesWithin(item);
    if (item !== this.picture.firstModule(scope)) return own;
    const missingKind = this.side === 0 ? "added" : "removed";
    const drawn =
      sumOf(this.picture.moduleItems(scope).map((each) => this.nodesWithin(each)))[missingKind] ?? 0;
    return {
      ...own,
      [missingKind]: (own[missingKind] ?? 0) + Math.max(0, (whole[missingKind] ?? 0) - drawn),
    };
  }

  /** The counts of a slot: of all identical groups folded into its box. */
  countsAt(scene: Scene, slot: number): Counts {
    const [item, members] = [scene.item[slot] ?? 0, scene.members[slot] ?? 1];
    if (members === 1) return this.counts(item);
    const key = this.runKey(item, members);
    const counts = (each: number): Counts => this.counts(each);
    const known = this.runs.get(key) ?? sumOf(itemsAt(this.picture, scene, slot).map(counts));
    this.runs.set(key, known);
    return known;
  }

  /** The counts of a group as a scene shows it: with the identical groups in its box. */
  countsSeen(scene: Scene, item: number): Counts {
    const slot = scene.slotOf[item] ?? -1;
    return slot < 0 ? this.counts(item) : this.countsAt(scene, slot);
  }

  /** The number of identical groups that `countsSeen` covers; 1 for a single group. */
  membersSeen({ slotOf, item: items, members }: Scene, item: number): number {
    const slot = slotOf[item] ?? -1;
    return items[slot] === undefined ? 1 : (members[slot] ?? 1);
  }

  /** The number of all changes. */
  get total(): number {
    return changed(this.changes.comparison.counts);
  }

  /** The number of changes in a group. */
  changesIn(item: number): number {
    return changed(this.counts(item));
  }

  /** Whether only one of two groups has changes. */
  splitsRun(item: number, other: number): boolean {
    return this.changesIn(item) > 0 !== this.changesIn(other) > 0;
  }

  /**
   * Of the identical groups in a slot's box: the first, and each that changed differently from the previous
   * one.
   */
  unlikeAt(scene: Scene, slot: number): readonly number[] {
    const [item, members] = [scene.item[slot] ?? 0, scene.members[slot] ?? 1];
    if (members === 1) return [item];
    const key = this.runKey(item, members);
    const known = this.unlike.get(key) ?? itemsAt(this.picture, scene, slot).filter(this.isUnlike);
    this.unlike.set(key, known);
    return known;
  }

  /**
   * The identical siblings that a group represents, including itself: those that changed the same way, if
   * most did; else the neighbours that changed the same way.
   */
  representedBy(item: number): readonly number[] {
    const siblings = this.picture.equalSiblings(item);
    const alike = siblings.filter((each) => this.changedAlike(each, item));
    if (2 * alike.length > siblings.length) return alike;
    const at = siblings.indexOf(item);
    const isStart = (i: number): boolean => this.isUnlike(siblings[i] ?? item, i, siblings);
    let [from, to] = [at, at + 1];
    while (!isStart(from)) from--;
    while (to < siblings.length && !isStart(to)) to++;
    return siblings.slice(from, to);
  }

  private readonly isUnlike = (item: number, i: number, items: readonly number[]): boolean => {
    const before = items[i - 1];
    return before === undefined || !this.changedAlike(before, item);
  };

  private changedAlike(one: number, other: number): boolean {
    const [a, b] = [this.counts(one), this.counts(other)];
    return KINDS.every((kind) => kind === "same" || (a[kind] ?? 0) === (b[kind] ?? 0));
  }

  private readonly runKey = (item: number, members: number): number => members * this.picture.count + item;

  private nodesWithin(item: number): Counts {
    const { from, to } = this.picture.hierarchy;
    const [start, end] = [(from[item] ?? 0) * KIND_COUNT, (to[item] ?? 0) * KIND_COUNT];
    return Object.fromEntries(
      KINDS.map((kind, k) => [kind, (this.before[end + k] ?? 0) - (this.before[start + k] ?? 0)]),
    );
  }
}

const sumOf = (all: readonly Counts[]): Counts =>
  Object.fromEntries(KINDS.map((kind) => [kind, all.reduce((sum, counts) => sum + (counts[kind] ?? 0), 0)]));
