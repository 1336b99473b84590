/** What JupyterLab calls a type of file, in the user's language. */
import type { TranslationBundle } from "@jupyterlab/translation";
import type { ProgramFileType } from "../files";

/** As in "Open With". */
export const nameOfFileType = (type: ProgramFileType, trans: TranslationBundle): string =>
  ({
    "exir-viz-pt2": trans.__("PyTorch Exported Program"),
    "exir-viz-pte": trans.__("ExecuTorch Program"),
    "exir-viz-bpte": trans.__("ExecuTorch Bundled Program"),
    "exir-viz-etrecord": trans.__("ExecuTorch ETRecord"),
    "exir-viz-snapshot": trans.__("exir_viz Snapshot"),
    "exir-viz-profile": trans.__("exir_viz Profile"),
  })[type];
