/** The query and its results. A newer query discards the answer of an older one. */
import { QueryError, Searcher } from "../search";
import type { Snapshot } from "../snapshot";
import type { Results } from "../store";
import type { Explorer } from "./explorer";

/** In programs with at least this many nodes, a search waits until the user stops typing. */
const MANY = 8_000;
/** Milliseconds without a key press. */
const PAUSE = 90;

export class Search {
  /** Resolves when the last query is answered. */
  private search: Promise<void> = Promise.resolve();
  private readonly searchers = new WeakMap<Snapshot, Searcher>();

  constructor(private readonly explorer: Explorer) {}

  async ask(query: string): Promise<void> {
    const { store, snapshot } = this.explorer;
    store.set({ query, ...(query.trim() ? {} : { results: { nodes: [], at: -1, of: query } }) });
    if (!query.trim()) return;
    const isWanted = (): boolean => store.state.query === query && this.explorer.snapshot === snapshot;
    this.search = this.find(query, isWanted);
    await this.search;
  }

  private async find(query: string, isWanted: () => boolean): Promise<void> {
    if (this.explorer.snapshot.nodeCount >= MANY) {
      await new Promise((done) => setTimeout(done, PAUSE));
      if (!isWanted()) return;
    }
    const results = await this.answer(query);
    if (isWanted()) this.explorer.store.set({ results });
  }

  /** The results of a query in the program that is shown; none if the query is invalid. */
  async nodesOf(query: string): Promise<readonly number[]> {
    return (await this.answer(query)).nodes;
  }

  /** The results of the last query, when they are known. */
  async answered(): Promise<Results> {
    await this.search;
    return this.explorer.state.results;
  }

  /** To the next result, or the previous one; wraps around. */
  async step(by: 1 | -1): Promise<void> {
    const { nodes, at } = await this.answered();
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

  /** The searcher of the program that is shown. */
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
      // The search box shows what is wrong with a query, and where.
      if (problem instanceof QueryError) return { nodes: [], at: -1, of: query };
      const text = problem instanceof Error ? problem.message : String(problem);
      return { nodes: [], at: -1, of: query, problem: text };
    }
  }
}
