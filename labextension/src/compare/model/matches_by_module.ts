/** Matches by the module calls of one side: computed once, then read for any set of calls. */
import { NONE, type Snapshot } from "../../snapshot";
import { attributionOf } from "./module_attribution";

export class MatchesByModule {
  /** By scope. */
  private readonly matches: number[][] = [];
  private readonly inner: number[][] = [];

  /** `matchOf`: by node. */
  constructor(snapshot: Snapshot, matchOf: Int32Array) {
    const homes = attributionOf(snapshot);
    matchOf.forEach((match, node) => {
      if (match !== NONE) for (const home of homes.of(node)) put(this.matches, home, match);
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
