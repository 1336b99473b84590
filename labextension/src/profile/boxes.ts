/** A profile's numbers for the boxes of a picture: of a node its own, of a group its total and its own. */
import type { Scene } from "../layout";
import { ItemKind, itemsAt, type Picture } from "../picture";
import type { Basis, Column, Profile } from "./profile";
import { BASES } from "./schema";

/** How the numbers of nodes become one for a group: for live memory the largest. */
export type Join = "sum" | "most";

export class Boxes {
  /** By item; NaN if unknown. */
  readonly total: Float64Array;
  /** By item: of a module, without its submodules. */
  readonly own: Float64Array;
  /** By item: one bit for each basis among its numbers. */
  private readonly basis: Uint8Array;
  private readonly runs = new WeakMap<Scene, Map<number, readonly number[]>>();

  constructor(
    profile: Profile,
    private readonly picture: Picture,
    column: Column,
    private readonly join: Join,
  ) {
    this.total = new Float64Array(picture.count).fill(Number.NaN);
    this.own = new Float64Array(picture.count).fill(Number.NaN);
    this.basis = new Uint8Array(picture.count);
    profile.nodes.forEach((node, row) => {
      const value = profile.at(column, row);
      const box = node < 0 ? -1 : boxOf(picture, node);
      if (value === undefined || box < 0) return;
      this.add(box, value);
      const bit = 1 << BASES.indexOf(profile.basis(row));
      for (let at = box; at !== -1; at = picture.parentOf(at)) this.basis[at] = (this.basis[at] ?? 0) | bit;
    });
  }

  /** The number of a slot: one item, or several if a run is folded. */
  at(scene: Scene, slot: number, of: "total" | "own"): number | undefined {
    let found = Number.NaN;
    for (const item of this.items(scene, slot)) found = this.joined(found, this[of][item] ?? Number.NaN);
    return Number.isNaN(found) ? undefined : found;
  }

  private add(box: number, value: number): void {
    this.put(this.total, box, value);
    this.put(this.own, box, value);
    let isOwn = this.picture.kindOf(box) !== ItemKind.Module;
    for (let at = this.picture.parentOf(box); at !== -1; at = this.picture.parentOf(at)) {
      this.put(this.total, at, value);
      if (isOwn) this.put(this.own, at, value);
      if (this.picture.kindOf(at) === ItemKind.Module) isOwn = false;
    }
  }

  private put(into: Float64Array, item: number, value: number): void {
    into[item] = this.joined(into[item] ?? Number.NaN, value);
  }

  private joined(a: number, b: number): number {
    if (Number.isNaN(a)) return b;
    if (Number.isNaN(b)) return a;
    return this.join === "sum" ? a + b : Math.max(a, b);
  }

  /** The numbers of every module, branch, loop and delegate of the picture, open or closed. */
  groups(of: "total" | "own"): readonly (number | undefined)[] {
    return Array.from(this[of], (value, item) =>
      Number.isNaN(value) || !this.picture.isGroup(item) ? undefined : value,
    );
  }

  /** How the numbers in a slot were obtained. */
  bases(scene: Scene, slot: number): readonly Basis[] {
    let found = 0;
    for (const item of this.items(scene, slot)) found |= this.basis[item] ?? 0;
    return BASES.filter((_, i) => found & (1 << i));
  }

  /** Needed in every frame, so cached by scene. */
  private items(scene: Scene, slot: number): readonly number[] {
    const of = this.runs.get(scene) ?? new Map<number, readonly number[]>();
    this.runs.set(scene, of);
    const known = of.get(slot);
    if (known) return known;
    const run = itemsAt(this.picture, scene, slot);
    of.set(slot, run);
    return run;
  }
}

/** The box of a node; of a delegate's call that has none, the innermost group around all ops of the delegate. */
function boxOf(picture: Picture, node: number): number {
  const own = picture.boxOf(node);
  if (own >= 0) return own;
  let shared: readonly number[] | undefined;
  for (const { base, count } of picture.snapshot.runBy(node))
    for (let inner = base; inner < base + count; inner++) {
      const box = picture.boxOf(inner);
      if (box < 0) continue;
      const around = picture.around(box);
      shared = shared ? shared.filter((item) => around.includes(item)) : around;
    }
  return shared ? innermost(picture, shared) : -1;
}

/** Of groups in one another, the one that contains no other; -1 for none. */
function innermost(picture: Picture, groups: readonly number[]): number {
  const outer = new Set(groups.map((item) => picture.parentOf(item)));
  return groups.find((item) => !outer.has(item)) ?? -1;
}
