/** Queries that colour ops: what they find, in whichever program is shown. */
import { type ColorRule, nextColor, RULES } from "../overlay";
import type { Explorer } from "./explorer";

export class Coloring {
  private asked = 0;
  /** Stops following the program that is shown; absent while there are no rules. */
  private off: (() => void) | undefined;

  constructor(private readonly explorer: Explorer) {}

  /** One rule more, in a colour that no other has unless one is named; the colours of rules are shown then. */
  add(query: string, color?: string): Promise<void> {
    const { rules } = this.explorer.state;
    const rule = { query: query.trim(), color: color ?? nextColor(rules) };
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
    const { overlay } = store.state;
    const isShown = overlay.name === RULES;
    const name = rules.length ? RULES : isShown ? "kind" : overlay.name;
    store.set({ rules, overlay: { ...overlay, name } });
    if (rules.length) {
      this.off ??= store.subscribe((state, before) => {
        if (state.picture.snapshot !== before.picture.snapshot) void this.find();
      });
    } else this.dispose();
    await this.find();
  }

  dispose(): void {
    this.off?.();
    this.off = undefined;
  }

  private async find(): Promise<void> {
    const { store, search, snapshot } = this.explorer;
    const asked = ++this.asked;
    const ruled = new Map<number, number>();
    for (const [i, { query }] of store.state.rules.entries()) {
      for (const node of await search.nodesOf(query)) if (!ruled.has(node)) ruled.set(node, i);
    }
    if (asked === this.asked && this.explorer.snapshot === snapshot) store.set({ ruled });
  }
}
