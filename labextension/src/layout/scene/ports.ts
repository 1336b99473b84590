/** The ports on one side of a group: the values that cross there, in order, and their numbers. */

/** Up to this many, a linear search is faster than a map; most groups have one or two. */
const FEW = 8;

export class Ports {
  private readonly numbers: ReadonlyMap<number, number> | undefined;

  /** `values`: the producing leaf of each port. */
  constructor(readonly values: Int32Array) {
    if (values.length > FEW) this.numbers = new Map(Array.from(values, (value, port) => [value, port]));
  }

  get length(): number {
    return this.values.length;
  }

  /** The port of a value; -1 if it does not cross. */
  of(value: number): number {
    return this.numbers ? (this.numbers.get(value) ?? -1) : this.values.indexOf(value);
  }
}
