/** Selected groups: their counterparts on either side, and the changes in them. Pure. */

import { itemsAt, type Picture } from "../../picture";
import { NONE } from "../../snapshot";
import { lastName } from "../../ui/text";
import { otherSide, SIDES, type Side } from "./changes";
import type { Pair } from "./pair";
import type { ByColumn } from "./row";
import type { Counts, ModuleChange } from "./schema";

/** One side of the selection: all members of a folded run, all boxes of a module. */
export interface SideOfSelection {
  /** Selected items come first. */
  readonly items: readonly number[];
  readonly names: readonly string[];
  readonly cls: string;
  /** Calls in all of them. */
  readonly ops: number;
  /** Elements of parameters, and bytes of state, of the first: those of a run are equal. */
  readonly parameters: number;
  readonly bytes: number;
  /** Present if the selection is not all boxes of its module. */
  readonly part: Part | undefined;
}

/** Some of the boxes of a module. */
export interface Part {
  readonly count: number;
  readonly of: number;
  readonly ops: number;
  /** The graph that contains them. */
  readonly graph: string;
}

export interface Inside {
  /** A side is absent if it has no such module (if `own` is present) or no such box. */
  readonly sides: readonly [SideOfSelection | undefined, SideOfSelection | undefined];
  readonly counts: Counts;
  /** All except submodules; absent if the comparison has no module here. */
  readonly own: Counts | undefined;
  /** Its changes in reading order. */
  readonly changes: readonly number[];
}

/** Undefined if no group of the pair is selected. */
export function insideOf(pair: Pair, groups: ByColumn): Inside | undefined {
  const looked = selectedItems(pair, groups);
  if (looked.every((items) => items.length === 0)) return undefined;
  const modules = changesOf(pair, looked);
  const items = modules ? looked : withCounterparts(pair, looked);
  const [a, b] = SIDES.map((side) =>
    modules ? moduleSide(pair, side, modules, looked[side] ?? []) : sideOf(pair, side, items[side] ?? []),
  );
  const matches = modules ? pair.changes.within(modules) : matchesIn(pair, items);
  return {
    sides: [a, b],
    counts: countOf(pair, matches),
    own: modules && countOf(pair, pair.changes.ownOf(modules)),
    changes: pair.changes.inOrder(matches.filter((match) => pair.changes.kind(match) !== "same")),
  };
}

/** The selected items by side, with all members of a run. */
function selectedItems(pair: Pair, groups: ByColumn): ByColumn {
  return SIDES.map((side) => {
    const { picture, scene } = pair.explorers[side].state;
    return (groups[pair.at + side] ?? []).flatMap((item) => {
      const slot = scene.slotOf[item] ?? -1;
      return scene.item[slot] === item ? itemsAt(picture, scene, slot) : [item];
    });
  });
}

/** With their counterparts on the other side. */
function withCounterparts(pair: Pair, whole: ByColumn): ByColumn {
  return SIDES.map((side) => {
    const counterparts = (whole[otherSide(side)] ?? []).map((item) =>
      pair.counterparts.of(otherSide(side), item),
    );
    return [...new Set([...(whole[side] ?? []), ...counterparts.filter((item) => item >= 0)])];
  });
}

/** The comparison's facts about modules on a side, for any number of boxes. */
function moduleSide(
  { explorers }: Pair,
  side: Side,
  modules: readonly ModuleChange[],
  looked: readonly number[],
): SideOfSelection | undefined {
  const { picture } = explorers[side];
  const { scopes } = picture.snapshot;
  const own = modules.map(({ a, b }) => (side === 0 ? a : b)).filter((scope) => scope !== NONE);
  const [first] = own;
  if (first === undefined) return undefined;
  const drawn = own.flatMap((scope) => picture.moduleItems(scope));
  const { parameters = 0, bytes = 0 } = picture.words.stateOfModule(first) ?? {};
  return {
    items: [...new Set([...looked, ...drawn])],
    names: own.map((scope) => scopes[scope]?.path || "the whole model"),
    cls: lastName(scopes[first]?.cls ?? ""),
    ops: modules.reduce((sum, { before, after }) => sum + (side === 0 ? before : after), 0),
    parameters,
    bytes,
    part: partOf(picture, looked, drawn.length),
  };
}

function partOf(picture: Picture, looked: readonly number[], of: number): Part | undefined {
  const [first] = looked;
  if (first === undefined || looked.length >= of) return undefined;
  const ops = looked.reduce((sum, item) => sum + picture.words.opsOf(item), 0);
  return { count: looked.length, of, ops, graph: picture.graphAround(first).columns.name };
}

function sideOf(pair: Pair, side: Side, items: readonly number[]): SideOfSelection | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  const { picture } = pair.explorers[side];
  const { words, snapshot } = picture;
  const nameOf = (item: number): string => {
    const scope = snapshot.scopes[picture.scopeOf(item)];
    return scope ? scope.path || "the whole model" : words.title(item);
  };
  const { parameters = 0, bytes = 0 } = words.stateOf(first) ?? {};
  return {
    items,
    names: items.map(nameOf),
    cls: words.subtitle(first),
    ops: items.reduce((sum, item) => sum + words.opsOf(item), 0),
    parameters,
    bytes,
    part: undefined,
  };
}

/** The comparison's entries for modules; undefined if one of them has none. */
function changesOf(pair: Pair, items: ByColumn): readonly ModuleChange[] | undefined {
  const modules = SIDES.flatMap((side) =>
    (items[side] ?? []).map((item) => {
      const scope = pair.explorers[side].picture.scopeOf(item);
      return scope === NONE ? undefined : pair.changes.module(side, scope);
    }),
  );
  const known = modules.filter((each) => each !== undefined);
  return known.length === modules.length ? [...new Set(known)] : undefined;
}

/** The matches of all nodes inside, and of the state that is folded into them. */
function matchesIn(pair: Pair, items: ByColumn): number[] {
  const found = SIDES.flatMap((side) => {
    const { picture } = pair.explorers[side];
    const leaves = (items[side] ?? []).flatMap((item) => [...picture.leavesOf(item)]);
    const nodes = leaves.flatMap((leaf) => [picture.nodeOf(leaf), ...picture.chipsOf(leaf)]);
    return pair.matchesOf(side, nodes);
  });
  return [...new Set(found)];
}

function countOf({ changes }: Pair, matches: readonly number[]): Counts {
  const counts = { same: 0, changed: 0, moved: 0, rewritten: 0, added: 0, removed: 0 };
  for (const match of matches) counts[changes.kind(match)]++;
  return counts;
}
