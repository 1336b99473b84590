/** What is asked for and found; stepping through it. A newer question makes an older one's answer worthless. */
import { QueryError, Searcher } from "../search";
import type { Snapshot } from "../snapshot";
import type { Results } from "../store";
import type { Explorer } from "./explorer";

export class Search {
  private readonly searchers = new WeakMap<Snapshot, Searcher>();

  constructor(private readonly explorer: Explorer) {}

  async ask(query: string): Promise<void> {
    const { store, snapshot } = this.explorer;
    store.set({ query, ...(query.trim() ? {} : { results: { nodes: [], at: -1, of: query } }) });
    if (!query.trim()) return;
    const results = await this.answer(query);
    const isWanted = store.state.query === query && this.explorer.snapshot === snapshot;
    if (isWanted) store.set({ results });
  }

  /** Looks at the next result, or the one before; round and round. */
  async step(by: 1 | -1): Promise<void> {
    const { nodes, at } = this.explorer.state.results;
    if (nodes.length === 0) return;
    await this.goTo(at < 0 && by < 0 ? nodes.length - 1 : (at + by + nodes.length) % nodes.length);
  }

  async goTo(at: number): Promise<void> {
    const { results } = this.explorer.state;
    const node = results.nodes[at];
    if (node === undefined) return;
    this.explorer.store.set({ results: { ...results, at } });
    await this.explorer.reveal(node);
  }

  /** Of what is shown now. */
  private searcher(): Searcher {
    const { snapshot } = this.explorer;
    const searcher = this.searchers.get(snapshot) ?? new Searcher(snapshot);
    this.searchers.set(snapshot, searcher);
    return searcher;
  }

  private async answer(query: string): Promise<Results> {
    try {
      return { nodes: [...(await this.searcher().find(query))], at: -1, of: query };
    } catch (problem) {
      // The box itself shows what is wrong with a query, and where.
      if (problem instanceof QueryError) return { nodes: [], at: -1, of: query };
      const text = problem instanceof Error ? problem.message : String(problem);
      return { nodes: [], at: -1, of: query, problem: text };
    }
  }
}
