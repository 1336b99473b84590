/** A value that is replaced as a whole, and its listeners. No globals: one per mount. */

type Listener<S> = (state: S, before: S) => void;

export class Store<S extends object> {
  private readonly listeners = new Set<Listener<S>>();

  constructor(private current: S) {}

  get state(): S {
    return this.current;
  }

  /** Listeners are called at once, and only if something changed. */
  set(change: Partial<S>): void {
    const before = this.current;
    const keys = Object.keys(change) as (keyof S)[];
    if (keys.every((key) => Object.is(change[key], before[key]))) return;
    this.current = { ...before, ...change };
    for (const listener of [...this.listeners]) listener(this.current, before);
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: Listener<S>): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get listening(): number {
    return this.listeners.size;
  }
}
