/**
 * The programs of a kernel. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

/** One row of the sidebar. */
export interface Variable {
  readonly name: string;
  readonly kind: string;
  readonly dialect: string;
  readonly nodes: number;
  readonly can_compare: boolean;
}

/** What the sidebar gets; `left_out` says how many more there are. */
export interface VariableList {
  readonly variables: readonly Variable[];
  readonly left_out: number;
}

export const RECORDS = {
  Variable: {
    name: "string",
    kind: "string",
    dialect: "string",
    nodes: "number",
    can_compare: "boolean",
  },
  VariableList: {
    variables: "Variable[]",
    left_out: "number",
  },
} as const;
