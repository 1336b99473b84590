/**
 * A comparison, read by node, by match and by module. Sides are 0 (a, before) and 1 (b, after). Immutable.
 */

import { isFoldable } from "../../picture";
import { NONE, opTitle, type Snapshot } from "../../snapshot";
import { attributionOf } from "./module_attribution";
import {
  type ChangeRule,
  type Comparison,
  type Counts,
  type Ground,
  KINDS,
  type MatchKind,
  type ModuleChange,
} from "./schema";

export type Side = 0 | 1;

export const SIDES = [0, 1] as const;

export const otherSide = (side: Side): Side => (side === 0 ? 1 : 0);

const SAME = KINDS.indexOf("same");

export class Changes {
  private listed: readonly number[] | undefined;
  /** By match, its position in reading order; computed when needed. */
  private readonly places: Int32Array;
  private readonly starts: readonly [Int32Array, Int32Array];
  private readonly matchOf: readonly [Int32Array, Int32Array];
  private matchesNow: readonly [MatchesByModule, MatchesByModule] | undefined;
  private readonly modules: readonly [ReadonlyMap<number, ModuleChange>, ReadonlyMap<number, ModuleChange>];

  constructor(
    readonly comparison: Comparison,
    readonly snapshots: readonly [Snapshot, Snapshot],
  ) {
    const { matches, modules = [] } = comparison;
    this.places = new Int32Array(this.count).fill(NONE);
    this.starts = [startsOf(matches.a_counts), startsOf(matches.b_counts)];
    this.matchOf = [
      this.matchesByNode(0, snapshots[0].nodeCount),
      this.matchesByNode(1, snapshots[1].nodeCount),
    ];
    this.modules = [
      new Map(modules.filter(({ a }) => a !== NONE).map((each) => [each.a, each])),
      new Map(modules.filter(({ b }) => b !== NONE).map((each) => [each.b, each])),
    ];
  }

  get count(): number {
    return this.comparison.matches.kinds.length;
  }

  /**
   * The match whose position counts in reading order: for state drawn on an op, the op's match; else the
   * match itself.
   */
  readAt(match: number): number {
    const known = this.places[match] ?? NONE;
    if (known !== NONE) return known;
    const place = readAt(this, match);
    this.places[match] = place;
    return place;
  }

  /** Matches other than unchanged ones, in reading order. */
  get list(): readonly number[] {
    const { kinds } = this.comparison.matches;
    this.listed ??= this.inOrder([...kinds.keys()].filter((match) => kinds[match] !== SAME));
    return this.listed;
  }

  /** Matches in reading order: state that is drawn on an op follows the op. */
  inOrder(matches: readonly number[]): number[] {
    const isDrawnOn = (match: number): number => Number(this.readAt(match) !== match);
    return [...matches].sort(
      (x, y) => this.readAt(x) - this.readAt(y) || isDrawnOn(x) - isDrawnOn(y) || x - y,
    );
  }

  kind(match: number): MatchKind {
    return KINDS[this.comparison.matches.kinds[match] ?? SAME] ?? "same";
  }

  /** Its nodes on a side, in execution order. */
  nodes(match: number, side: Side): readonly number[] {
    const start = this.starts[side];
    return this.columnOf(side).slice(start[match], start[match + 1]);
  }

  /** The match of a node; NONE if it has none. */
  of(side: Side, node: number): number {
    return this.matchOf[side][node] ?? NONE;
  }

  kindOf(side: Side, node: number): MatchKind {
    const match = this.of(side, node);
    return match === NONE ? "same" : this.kind(match);
  }

  /** The change of a module call, by its scope on a side. */
  module(side: Side, scope: number): ModuleChange | undefined {
    return this.modules[side].get(scope);
  }

  fields(match: number): readonly string[] {
    const { matches, fields = [] } = this.comparison;
    return fields[matches.fields[match] ?? NONE] ?? [];
  }

  reason(match: number): string {
    const { matches, reasons = [] } = this.comparison;
    return reasons[matches.reasons[match] ?? NONE] ?? "";
  }

  ground(match: number): Ground | undefined {
    const { matches, evidence = [] } = this.comparison;
    return evidence[matches.evidence[match] ?? NONE];
  }

  rule(match: number): ChangeRule | undefined {
    const { matches, rules = [] } = this.comparison;
    return rules[matches.rules[match] ?? NONE];
  }

  /** "linear", "permute, addmm": the ops of its nodes on a side. */
  ops(match: number, side: Side): string {
    const snapshot = this.snapshots[side];
    return this.nodes(match, side)
      .map((node) => titleOf(snapshot, node))
      .join(", ");
  }

  /** The module of its first node, on b's side if it has one. */
  path(match: number): string {
    const [a, b] = this.scopes(match);
    const [before, after] = this.snapshots;
    const isInB = this.nodes(match, 1).length > 0;
    return (isInB ? after.scopes[b] : before.scopes[a])?.path ?? "";
  }

  /**
   * The first module call that its first node is attributed to, on each side; NONE if it has no node there.
   */
  scopes(match: number): readonly [number, number] {
    const scope = (side: Side): number => {
      const [node] = this.nodes(match, side);
      return (node === undefined ? undefined : attributionOf(this.snapshots[side]).of(node)[0]) ?? NONE;
    };
    return [scope(0), scope(1)];
  }

  /** The matches attributed to modules or their submodules. */
  within(modules: readonly ModuleChange[]): number[] {
    return this.collect(modules, (matches, scopes) => matches.within(scopes));
  }

  /** The matches attributed to the modules themselves. */
  ownOf(modules: readonly ModuleChange[]): number[] {
    return this.collect(modules, (matches, scopes) => matches.in(scopes));
  }

  private collect(
    modules: readonly ModuleChange[],
    ask: (matches: MatchesByModule, scopes: Iterable<number>) => number[],
  ): number[] {
    const [before, after] = this.matches;
    const [a, b] = [modules.map((each) => each.a), modules.map((each) => each.b)];
    return [...new Set([...ask(before, a), ...ask(after, b)])].sort((x, y) => x - y);
  }

  private get matches(): readonly [MatchesByModule, MatchesByModule] {
    const { snapshots, matchOf } = this;
    this.matchesNow ??= [
      new MatchesByModule(snapshots[0], matchOf[0]),
      new MatchesByModule(snapshots[1], matchOf[1]),
    ];
    return this.matchesNow;
  }

  /** The other side's graph for a method of one side. */
  graphLike(side: Side, method: number): number | undefined {
    const { methods = [] } = this.comparison;
    const names = ["a", "b"] as const;
    const name = this.snapshots[side].methods[method]?.name;
    const like = methods.find((each) => each[names[side]] === name)?.[names[otherSide(side)]];
    return this.snapshots[otherSide(side)].methods.find((each) => each.name === like)?.graph;
  }

  private columnOf(side: Side): readonly number[] {
    const { a_nodes, b_nodes } = this.comparison.matches;
    return side === 0 ? a_nodes : b_nodes;
  }

  private matchesByNode(side: Side, nodes: number): Int32Array {
    const matches = new Int32Array(nodes).fill(NONE);
    const column = this.columnOf(side);
    const start = this.starts[side];
    for (let match = 0; match < this.count; match++) {
      for (let i = start[match] ?? 0; i < (start[match + 1] ?? 0); i++) matches[column[i] ?? 0] = match;
    }
    return matches;
  }
}

function titleOf(snapshot: Snapshot, node: number): string {
  const { graph, position } = snapshot.locate(node);
  return opTitle(graph.op(position), graph.target(position), graph.name(position));
}

/** The number of changed matches. */
export const changed = ({
  added = 0,
  removed = 0,
  changed: own = 0,
  moved = 0,
  rewritten = 0,
}: Counts): number => added + removed + own + moved + rewritten;

function startsOf(counts: readonly number[]): Int32Array {
  const starts = new Int32Array(counts.length + 1);
  counts.forEach((count, i) => {
    starts[i + 1] = (starts[i] ?? 0) + count;
  });
  return starts;
}

/** Matches by the module calls of one side: computed once, then read for any set of calls. */
class MatchesByModule {
  /** By scope. */
  private readonly matches: number[][] = [];
  private readonly inner: number[][] = [];

  /** `matchOf`: by node. */
  constructor(snapshot: Snapshot, matchOf: Int32Array) {
    const owners = attributionOf(snapshot);
    matchOf.forEach((match, node) => {
      if (match !== NONE) for (const owner of owners.of(node)) put(this.matches, owner, match);
    });
    snapshot.scopes.forEach(({ parent }, at) => {
      if (parent !== NONE) put(this.inner, parent, at);
    });
  }

  /** The matches attributed to these calls, without submodules; one may come more than once. */
  in(scopes: Iterable<number>): number[] {
    return Array.from(scopes, (scope) => this.matches[scope] ?? []).flat();
  }

  /** The matches attributed to these calls or their submodules. */
  within(scopes: Iterable<number>): number[] {
    const inside = new Set(scopes);
    for (const scope of inside) for (const each of this.inner[scope] ?? []) inside.add(each);
    return this.in(inside);
  }
}

function put(lists: number[][], at: number, one: number): void {
  const list = lists[at] ?? [];
  list.push(one);
  lists[at] = list;
}

type MatchedNodes = Pick<Changes, "nodes" | "of" | "snapshots">;

/** The match of the op that draws the state of a match, b's side first; for any other the match itself. */
function readAt(changes: MatchedNodes, match: number): number {
  for (const side of [1, 0] as const) {
    const [node] = changes.nodes(match, side);
    if (node === undefined) continue;
    const op = readerOf(changes.snapshots[side], node);
    const of = op === undefined ? NONE : changes.of(side, op);
    return of === NONE ? match : of;
  }
  return match;
}

/** The first op that reads a piece of state. */
function readerOf(snapshot: Snapshot, node: number): number | undefined {
  const { graph, position } = snapshot.locate(node);
  if (!isFoldable(snapshot, graph, position)) return undefined;
  const [user] = graph.usersOf(position);
  return user === undefined ? undefined : graph.base + user;
}
