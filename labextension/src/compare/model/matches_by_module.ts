/** Which matches are told of in which module calls of one side: read once, then asked of any calls together. */
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

  /** In these calls and in none within them; what is in several of them comes more than once. */
  in(scopes: Iterable<number>): number[] {
    return Array.from(scopes, (scope) => this.matches[scope] ?? []).flat();
  }

  /** In these calls or in any within them. */
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
