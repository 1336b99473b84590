/** The programs of a kernel, for the sidebar: the expression that lists them, and its answer. */
import type { TranslationBundle } from "@jupyterlab/translation";
import { isObject, wrongField } from "../../snapshot/fields";
import { RECORDS, type VariableList } from "./schema";

const MODULE = '__import__("exir_viz.jupyter.variables", fromlist=["variables"])';
const NAMES = "get_ipython().user_ns";

/** Evaluated by the kernel without a trace in the notebook. */
export const LIST = `${MODULE}.list_variables(${NAMES})`;

/**
 * Code whose last value explores a variable, or compares two. Names are identifiers: the kernel lists no
 * others.
 */
export const showCode = (name: string): string => `${MODULE}.show(${NAMES}, ${JSON.stringify(name)})`;
export const compareCode = (a: string, b: string): string =>
  `${MODULE}.compare(${NAMES}, ${JSON.stringify(a)}, ${JSON.stringify(b)})`;

/** The answer to `LIST`; a text if the kernel cannot give one. */
export function variablesOf(answer: unknown, trans: TranslationBundle): VariableList | string {
  const { status, data, ename, evalue } = (answer ?? {}) as Record<string, unknown>;
  if (status === "error") {
    return ename === "ModuleNotFoundError"
      ? trans.__("exir_viz is not installed where this kernel runs. In a cell: %1", "%pip install exir-viz")
      : trans.__("The kernel cannot list its programs: %1", `${ename}: ${evalue}`);
  }
  const list = (data as Record<string, unknown> | undefined)?.["application/json"];
  return isObject(list) && !wrongField(list, RECORDS.VariableList, RECORDS)
    ? (list as unknown as VariableList)
    : trans.__(
        "The exir_viz of this kernel is too old for this list. In a cell: %1",
        "%pip install -U exir-viz",
      );
}

/** A kind of `exir_viz/jupyter/variables.py`; one of a newer kernel keeps its English name. */
export function nameOfVariableKind(kind: string, trans: TranslationBundle): string {
  switch (kind) {
    case "program":
      return trans.__("program");
    case "snapshot":
      return trans.__("snapshot");
    case "session":
      return trans.__("session");
    case "stage":
      return trans.__("stage");
    case "diff":
      return trans.__("diff");
    case "profile":
      return trans.__("profile");
    case "values":
      return trans.__("values");
    default:
      return kind;
  }
}
