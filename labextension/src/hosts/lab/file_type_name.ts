/** What JupyterLab calls a type of file, in the user's language. */
import type { TranslationBundle } from "@jupyterlab/translation";
import type { ProgramFileType } from "../files";

/** As in "Open With". */
export const nameOfFileType = (type: ProgramFileType, trans: TranslationBundle): string =>
  ({
    pt2: trans.__("PyTorch Exported Program"),
    pte: trans.__("ExecuTorch Program"),
    bpte: trans.__("ExecuTorch Bundled Program"),
    etrecord: trans.__("ExecuTorch ETRecord"),
    snapshot: trans.__("exir_viz Snapshot"),
    profile: trans.__("exir_viz Profile"),
  })[type];
