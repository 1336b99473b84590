/**
 * Lists of lists in two typed arrays: the entries with key k are item[start[k] … start[k + 1]). Entries of
 * one key keep their order, so that everything built on it is deterministic.
 */

export interface Csr {
  readonly start: Int32Array;
  readonly item: Int32Array;
}

/** The entries 0…count-1 grouped by `key`; entries with a negative key are skipped. */
export function groupBy(keys: number, key: ArrayLike<number>, count: number = key.length): Csr {
  const start = new Int32Array(keys + 1);
  for (let e = 0; e < count; e++) if (key[e]! >= 0) start[key[e]! + 1]!++;
  for (let k = 0; k < keys; k++) start[k + 1]! += start[k]!;
  const item = new Int32Array(start[keys]!);
  const next = start.slice(0, keys);
  for (let e = 0; e < count; e++) if (key[e]! >= 0) item[next[key[e]!]!++] = e;
  return { start, item };
}

/** A growing list of 32-bit integers, without the cost of boxed numbers. */
export class IntList {
  private data = new Int32Array(8);
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = value;
  }

  at(i: number): number {
    return this.data[i]!;
  }

  bump(i: number, by: number): void {
    this.data[i]! += by;
  }

  /** A copy of exactly the right length. */
  toArray(): Int32Array {
    return this.data.slice(0, this.length);
  }
}
