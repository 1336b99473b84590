/**
 * Lists of modules that no call mentions: `stages.2` holds `stages.2.0 … stages.2.19` and is never called itself.
 *
 * Where a module calls many others, those that such a list holds are drawn in one group. A few, or one list
 * alone, need none: runs of equals fold them.
 */
import { NONE, type Scope } from "../snapshot";

/** Fewer children than this stand as they are. */
const MANY = 40;

interface Container {
  readonly path: string;
  /** Below all numbers of scopes. */
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
      for (const [path, held] of lists) {
        const container = { path, key: key-- };
        for (const number of held) this.ofScope.set(number, container);
      }
    }
  }

  of(scope: number): Container | undefined {
    return this.ofScope.get(scope);
  }
}

/** Scopes by the path they are held at; those that hang on their caller itself are left out. */
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
