/** What the sidebar calls a kind of variable, in the user's language. */
import type { TranslationBundle } from "@jupyterlab/translation";

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
