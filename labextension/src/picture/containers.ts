/**
 * Lists of modules that have no call: `stages.2` contains `stages.2.0 … stages.2.19` and is never called.
 *
 * If a module calls many others, those in such a list are drawn in one group. A few, or only one list, need
 * none: runs of identical modules are folded.
 */
import { NONE, type Scope } from "../snapshot";

/** With fewer children there are no such groups. */
const MANY = 40;

interface Container {
  readonly path: string;
  /** Smaller than all numbers of scopes. */
  readonly key: number;
}

export class Containers {
  private readonly ofScope = new Map<number, Container>();

  constructor(scopes: readonly Scope[]) {
    const children = new Map<number, number[]>();
    scopes.forEach(({ parent }, number) => {
      if (parent !== NONE) push(children, parent, number);
    });
    let key = -10;
    for (const [parent, numbers] of children) {
      if (numbers.length < MANY) continue;
      const lists = byPath(scopes, scopes[parent]?.path ?? "", numbers);
      if (lists.size < 2) continue;
      for (const [path, members] of lists) {
        const container = { path, key: key-- };
        for (const number of members) this.ofScope.set(number, container);
      }
    }
  }

  of(scope: number): Container | undefined {
    return this.ofScope.get(scope);
  }
}

/** Scopes by the path of their list, without direct children of the caller. */
function byPath(scopes: readonly Scope[], caller: string, numbers: readonly number[]): Map<string, number[]> {
  const lists = new Map<string, number[]>();
  for (const number of numbers) {
    const path = scopes[number]?.path ?? "";
    const holder = path.slice(0, Math.max(0, path.lastIndexOf(".")));
    if (holder === caller || !holder) continue;
    push(lists, holder, number);
  }
  return lists;
}

function push<K>(lists: Map<K, number[]>, key: K, number: number): void {
  const list = lists.get(key);
  if (list) list.push(number);
  else lists.set(key, [number]);
}
