/**
 * The engine: lays out one program's tree again and again as groups open and close.
 *
 * Each open group is laid out alone, children first; its box is then one box of its parent. Only groups that
 * changed since the last call are processed again (the toggled one and its ancestors), unless an equal group
 * was laid out before. Same tree, view and options: same scene.
 */

import { finish, layered } from "./layered/layered";
import { hash, LayoutCache, signature } from "./layered/signature";
import { compose } from "./scene/compose";
import { type Hierarchy, indexTree } from "./scene/hierarchy";
import { type LocalGraph, LocalGraphs } from "./scene/local";
import { type Placed, quotient } from "./scene/quotient";
import { defaults, type LayoutOptions, NO_POSITION, type Scene, type Tree, type View } from "./types";

export class Layout {
  private readonly options: LayoutOptions;
  private readonly locals: LocalGraphs;
  private readonly placed: (Placed | undefined)[] = [];
  private last: View | undefined;

  constructor(
    tree: Tree,
    options: Partial<LayoutOptions> = {},
    private readonly cache: LayoutCache = new LayoutCache(),
    /** The hierarchy of that tree, if it exists already. */
    readonly hierarchy: Hierarchy = indexTree(tree),
  ) {
    this.options = { ...defaults, ...options };
    this.locals = new LocalGraphs(this.hierarchy);
  }

  /** The local graph of a group (`hierarchy.root` for the top), as `findRuns` needs it. */
  local(group: number): LocalGraph {
    return this.locals.of(group);
  }

  scene(view: View): Scene {
    return finish(this.steps(view));
  }

  /** The same in steps of a few milliseconds, for the main thread. It can be abandoned at any step. */
  *steps(view: View): Generator<void, Scene> {
    const groups = this.openGroups(view);
    const stale = this.staleGroups(view, groups);
    this.last = undefined; // until all groups are placed, the cache belongs to no view
    for (const g of groups) {
      if (!stale.has(g)) continue;
      this.placed[g] = yield* this.place(g, view);
      yield;
    }
    const { open, runHead, stretch, previousX } = view;
    this.last = {
      open: open.slice(),
      ...(runHead && { runHead: runHead.slice() }),
      ...(stretch && { stretch: stretch.slice() }),
      ...(previousX && { previousX: previousX.slice() }),
    };
    return compose(this.hierarchy, groups, (g) => this.placed[g]!);
  }

  /** Visible open groups, children before parents, the root last. */
  private openGroups({ open }: View): Int32Array {
    const { tree, children, root } = this.hierarchy;
    const found = [root];
    for (let i = 0; i < found.length; i++) {
      const g = found[i]!;
      for (let c = children.start[g]!; c < children.start[g + 1]!; c++) {
        const child = children.item[c]!;
        if (tree.isGroup[child] && open[child]) found.push(child);
      }
    }
    return Int32Array.from(found.reverse());
  }

  /** Those of `groups` whose layout may differ from the last one. */
  private staleGroups(view: View, groups: Int32Array): ReadonlySet<number> {
    const { last } = this;
    const { tree, children, parent, root } = this.hierarchy;
    if (!last || !last.runHead !== !view.runHead) return new Set(groups);
    const seenBefore = (g: number): boolean => g === root || (last.open[g] === 1 && seenBefore(parent[g]!));
    const stale = new Set<number>();
    for (const g of groups) {
      if (!seenBefore(g)) stale.add(g);
      for (let c = children.start[g]!; c < children.start[g + 1]!; c++) {
        const child = children.item[c]!;
        if ((last.previousX?.[child] ?? NO_POSITION) !== (view.previousX?.[child] ?? NO_POSITION))
          stale.add(g);
        const isFoldedAsBefore =
          last.runHead?.[child] === view.runHead?.[child] &&
          (last.stretch?.[child] ?? 0) === (view.stretch?.[child] ?? 0);
        if (!isFoldedAsBefore) stale.add(g);
        if (!tree.isGroup[child]) continue;
        if (last.open[child] !== view.open[child] || stale.has(child)) stale.add(g);
      }
    }
    return stale;
  }

  private *place(g: number, view: View): Generator<void, Placed> {
    const { tree, root } = this.hierarchy;
    const { options, cache } = this;
    const local = this.locals.of(g);
    const isOpen = (item: number): boolean => tree.isGroup[item] === 1 && view.open[item] === 1;
    const seen = {
      tree,
      runHead: view.runHead,
      stretch: view.stretch,
      previousX: view.previousX,
      placed: (item: number) => (isOpen(item) ? this.placed[item] : undefined),
    };
    const frame =
      g === root
        ? { header: options.pad, minWidth: 0 }
        : { header: options.header, minWidth: tree.width[g]! };
    const q = quotient(local, seen, frame);
    const numbers = signature(q.flat, options);
    const key = hash(numbers);
    let layout = cache.find(key, numbers);
    if (!layout) {
      layout = yield* layered(q.flat, options);
      cache.keep(key, numbers, layout);
    }
    return { local, quotient: q, layout };
  }
}
