/** What is asked for and found; stepping through it. A newer question makes an older one's answer worthless. */
import { QueryError } from "../search/ast";
import { Searcher } from "../search/searcher";
import type { Explorer } from "./explorer";

export class Search {
  private readonly searcher: Searcher;
  private asked = 0;

  constructor(private readonly explorer: Explorer) {
    this.searcher = new Searcher(explorer.snapshot);
  }

  async ask(query: string): Promise<void> {
    const asked = ++this.asked;
    const { store } = this.explorer;
    store.set({ query });
    if (!query.trim()) {
      store.set({ results: { nodes: [], at: -1 } });
      return;
    }
    try {
      const nodes = [...(await this.searcher.find(query))];
      if (asked === this.asked) store.set({ results: { nodes, at: -1 } });
    } catch (problem) {
      if (asked !== this.asked) return;
      const text =
        problem instanceof QueryError || problem instanceof Error ? problem.message : String(problem);
      store.set({ results: { nodes: [], at: -1, problem: text } });
    }
  }

  /** Looks at the next result, or the one before; round and round. */
  async step(by: 1 | -1): Promise<void> {
    const { nodes, at } = this.explorer.state.results;
    if (nodes.length === 0) return;
    await this.goTo(at < 0 && by < 0 ? nodes.length - 1 : (at + by + nodes.length) % nodes.length);
  }

  async goTo(at: number): Promise<void> {
    const { results, query } = this.explorer.state;
    const node = results.nodes[at];
    if (node === undefined) return;
    this.explorer.store.set({ results: { ...results, at } });
    await this.explorer.reveal(node);
    if (this.explorer.state.query === query) this.explorer.store.set({ results: { ...results, at } });
  }
}
