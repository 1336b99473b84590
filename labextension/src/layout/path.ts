/**
 * A growing list of lines, as points in one array.
 *
 * Points on a straight vertical or horizontal between their neighbours are skipped.
 */

export class Path {
  private data = new Float64Array(256);
  /** Used numbers in `data`; two per point. */
  private used = 0;
  private lineStart = 0;

  /** x of the last point. */
  get x(): number {
    return this.data[this.used - 2]!;
  }

  get y(): number {
    return this.data[this.used - 1]!;
  }

  get points(): number {
    return this.used / 2;
  }

  /** Begins a line. */
  move(x: number, y: number): void {
    this.lineStart = this.used;
    this.add(x, y);
  }

  /** Continues to a point. */
  to(x: number, y: number): void {
    const { data, used } = this;
    if (used > this.lineStart && data[used - 2] === x && data[used - 1] === y) return;
    if (used - this.lineStart >= 4) {
      const [ax, ay, bx, by] = [data[used - 4]!, data[used - 3]!, data[used - 2]!, data[used - 1]!];
      if ((ax === bx && bx === x && by > ay === y > by) || (ay === by && by === y && bx > ax === x > bx))
        this.used -= 2;
    }
    this.add(x, y);
  }

  /** Lifts the pen: the next point begins another part of the same line. */
  lift(): void {
    this.add(Number.NaN, Number.NaN);
    this.lineStart = this.used;
  }

  /** Appends points a…b of another array, moved by (dx, dy). */
  copy(points: Float64Array, a: number, b: number, dx: number, dy: number): void {
    for (let i = a; i < b; i++) {
      const x = points[2 * i]!;
      if (Number.isNaN(x)) this.lift();
      else this.to(x + dx, points[2 * i + 1]! + dy);
    }
  }

  /** Begins a line that `copy` fills. */
  begin(): void {
    this.lineStart = this.used;
  }

  toArray(): Float64Array {
    return this.data.slice(0, this.used);
  }

  private add(x: number, y: number): void {
    if (this.used + 2 > this.data.length) {
      const grown = new Float64Array(this.data.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.used++] = x;
    this.data[this.used++] = y;
  }
}
