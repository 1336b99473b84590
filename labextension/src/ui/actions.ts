/** What components are given and what they may ask for. They hold no state: whoever mounts them answers. */
import type { Detail, Snapshot } from "../snapshot";

/** What is looked at. Nodes are numbers of the Snapshot; scopes are numbers of its table of module calls. */
export type Selection =
  | { readonly kind: "nothing" }
  | { readonly kind: "node"; readonly node: number }
  | { readonly kind: "nodes"; readonly nodes: readonly number[] }
  /**
   * `equal`: the scopes that the picture found to be equal, itself among them. `similar`: siblings of the same ops
   * with other sizes.
   */
  | {
      readonly kind: "module";
      readonly graph: number;
      readonly scope: number;
      readonly equal?: readonly number[];
      readonly similar?: readonly number[];
    }
  /** A branch, a loop body or a delegate. */
  | { readonly kind: "graph"; readonly graph: number }
  /** A group that no module made, and why it is one. */
  | {
      readonly kind: "group";
      readonly title: string;
      readonly reason: string;
      readonly nodes: readonly number[];
    }
  /** The value of `node` on its way to `users`. */
  | { readonly kind: "edge"; readonly node: number; readonly users: readonly number[] };

export const NOTHING: Selection = { kind: "nothing" };

export interface Actions {
  /** Selects these and no others, where they stand. */
  select(nodes: readonly number[]): void;
  /** Selects a node, opens what is around it and brings it into view. */
  reveal(node: number): void;
  revealModule(graph: number, scope: number): void;
  revealGraph(graph: number): void;
  /** Marks a node for as long as the pointer is on its name; undefined ends it. */
  hover(node: number | undefined): void;
  /** Puts a query into the search box and asks it. */
  search(query: string): void;
  copy(text: string): Promise<void>;
}

/** What a panel shows while the detail is fetched, and when that failed. */
export type DetailState =
  | { readonly state: "busy" }
  | { readonly state: "ready"; readonly detail: Detail }
  | { readonly state: "failed"; readonly problem: string; readonly retry: () => void };

/** What a part of a panel needs to name nodes and link to them. */
export interface Here {
  readonly snapshot: Snapshot;
  readonly actions: Actions;
}

/** What every panel is given. */
export interface PanelContext extends Here {
  readonly detail: DetailState;
  readonly selection: Selection;
}
