/** Queries that colour ops: their results, in the program that is shown. */
import { type ColorRule, nextColor, RULES } from "../overlay";
import type { Explorer } from "./explorer";

export class Coloring {
  private request = 0;
  /** Stops following the program that is shown; absent while there are no rules. */
  private off: (() => void) | undefined;

  constructor(private readonly explorer: Explorer) {}

  /** Adds a rule and shows the colours of rules. Without a colour it gets one that no other rule has. */
  add(query: string, color?: string): Promise<void> {
    const { store } = this.explorer;
    const { rules, overlay } = store.state;
    const rule = { query: query.trim(), color: color ?? nextColor(rules) };
    store.set({ overlay: { ...overlay, name: RULES } });
    return this.set([...rules.filter((each) => each.query !== rule.query), rule]);
  }

  remove(query: string): Promise<void> {
    return this.set(this.explorer.state.rules.filter((each) => each.query !== query));
  }

  recolor(query: string, color: string): Promise<void> {
    const { rules } = this.explorer.state;
    return this.set(rules.map((each) => (each.query === query ? { query, color } : each)));
  }

  async set(rules: readonly ColorRule[]): Promise<void> {
    const { store } = this.explorer;
    const { overlay, ruled } = store.state;
    const name = !rules.length && overlay.name === RULES ? "kind" : overlay.name;
    // Show the known results of the other rules until the queries are answered.
    const places = store.state.rules.map(({ query }) => rules.findIndex((each) => each.query === query));
    const kept = [...ruled].map(([node, rule]) => [node, places[rule] ?? -1] as const);
    store.set({
      rules,
      ruled: new Map(kept.filter(([, rule]) => rule >= 0)),
      overlay: { ...overlay, name },
    });
    if (rules.length) {
      this.off ??= store.subscribe((state, before) => {
        if (state.picture.snapshot === before.picture.snapshot) return;
        store.set({ ruled: new Map() });
        void this.find();
      });
    } else this.dispose();
    await this.find();
  }

  dispose(): void {
    this.request++;
    this.off?.();
    this.off = undefined;
  }

  private async find(): Promise<void> {
    const { store, search, snapshot } = this.explorer;
    const request = ++this.request;
    if (!store.state.rules.length && !store.state.ruled.size) return;
    const ruled = new Map<number, number>();
    for (const [i, { query }] of store.state.rules.entries()) {
      for (const node of await search.nodesOf(query)) if (!ruled.has(node)) ruled.set(node, i);
    }
    if (request === this.request && this.explorer.snapshot === snapshot) store.set({ ruled });
  }
}
