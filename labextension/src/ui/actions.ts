/** The props and actions of components. They hold no state: their owner handles the actions. */
import type { Detail, Snapshot } from "../snapshot";

/** The selection. Nodes are numbers of the Snapshot; scopes are numbers of its table of module calls. */
export type Selection =
  | { readonly kind: "nothing" }
  | { readonly kind: "node"; readonly node: number }
  | { readonly kind: "nodes"; readonly nodes: readonly number[] }
  /**
   * `equal`: the identical scopes in the picture, including itself. `similar`: siblings of the same ops with
   * other sizes.
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
  /** A group without a module, and why it was inserted. */
  | {
      readonly kind: "group";
      readonly title: string;
      readonly reason: string;
      readonly nodes: readonly number[];
    }
  /** The value of `node` on its edges to `users`. */
  | { readonly kind: "edge"; readonly node: number; readonly users: readonly number[] };

export const NOTHING: Selection = { kind: "nothing" };

/** The nodes that are selected one by one. */
export function nodesOf(selection: Selection): readonly number[] {
  switch (selection.kind) {
    case "node":
    case "edge":
      return [selection.node];
    case "nodes":
    case "group":
      return selection.nodes;
    default:
      return [];
  }
}

/** A line of a notebook's cell, found by its text: a program does not name its cells. */
export interface CellLine {
  /** The line's number in its cell, from 1. */
  readonly line: number;
  /** Known lines of the cell, by number. */
  readonly text: ReadonlyMap<number, string>;
}

export interface Actions {
  /** Selects exactly these nodes and does not move the camera. */
  select(nodes: readonly number[]): void;
  /** Selects a node, opens the groups around it and brings it into view. */
  reveal(node: number): void;
  revealModule(graph: number, scope: number): void;
  revealGraph(graph: number): void;
  /** Marks a node while the pointer is on its name; undefined ends it. */
  hover(node: number | undefined): void;
  /** Enters a query in the search box and runs it. */
  search(query: string): void;
  /** Shows a line of a notebook's cell in the notebook; absent where no notebook is open. */
  showCell?: ((line: CellLine) => void) | undefined;
  copy(text: string): Promise<void>;
}

/** The detail: loading, failed, or loaded. */
export type DetailState =
  | { readonly state: "busy" }
  | { readonly state: "ready"; readonly detail: Detail }
  | { readonly state: "failed"; readonly problem: string; readonly retry: () => void };

/** What components need to name nodes and link to them. */
export interface Here {
  readonly snapshot: Snapshot;
  readonly actions: Actions;
}

/** The props of every panel. */
export interface PanelContext extends Here {
  readonly detail: DetailState;
  readonly selection: Selection;
}
