import type { ReaderFiles } from "../../documents/pyodide/protocol";

/** `site.json`, which `scripts/site.py` writes: the files of a site. Paths are relative to it. */
export interface SiteFiles extends ReaderFiles {
  /** Differs from one build to the next. */
  readonly version: string;
  /** The files that the browser keeps, for use without a network. */
  readonly offline: readonly string[];
  readonly samples: readonly { readonly path: string; readonly title: string }[];
}
