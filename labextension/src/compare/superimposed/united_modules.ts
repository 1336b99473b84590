/** The modules of both programs as one list: b's with their numbers, then those that only a calls. Pure. */
import { NONE, type Scope } from "../../snapshot";
import type { Changes } from "../model/changes";

export interface UnitedScopes {
  readonly scopes: readonly Scope[];
  /** By scope of a: its number in the list. */
  readonly ofA: Int32Array;
}

export function uniteScopes(changes: Changes): UnitedScopes {
  const [a, b] = changes.snapshots;
  const scopes: Scope[] = [...b.scopes];
  const ofA = new Int32Array(a.scopes.length).fill(NONE);
  const known = new Map(b.scopes.map((scope, number) => [keyOf(scope), number]));
  // The parent of a scope comes before it.
  a.scopes.forEach((scope, number) => {
    const paired = changes.module(0, number)?.b ?? NONE;
    const counterpart = paired !== NONE ? paired : known.get(keyOf(scope));
    const parent = scope.parent === NONE ? NONE : (ofA[scope.parent] ?? NONE);
    ofA[number] = counterpart ?? scopes.push({ ...scope, parent }) - 1;
  });
  return { scopes, ofA };
}

const keyOf = ({ path, call = 0 }: Scope): string => `${call} ${path}`;
