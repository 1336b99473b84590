/** What is said between the site's page and the worker that runs our Python reader. */
import type { Problem } from "../../documents/provider";

/** What a site consists of: `site.json`, which `scripts/site.py` writes. Paths are relative to it. */
export interface SiteFiles {
  /** Differs from one build to the next. */
  readonly version: string;
  /** What the reader loads, with the bytes of each. */
  readonly reader: Readonly<Record<string, number>>;
  /** What works offline after the first visit. */
  readonly offline: readonly string[];
  readonly samples: readonly { readonly path: string; readonly title: string }[];
}

/** A file, and the path that the reader has it at: "2/model.pt2". */
export interface NamedFile {
  readonly path: string;
  readonly file: Blob;
}

export type ReaderRequest =
  | { readonly kind: "start"; readonly base: string; readonly bytes: number }
  | {
      readonly kind: "read";
      readonly id: number;
      /** One to show, or two to compare. */
      readonly files: readonly NamedFile[];
      /** As a page that opens anywhere. */
      readonly isPage: boolean;
    };

export type ReaderResponse =
  /** `loaded`: from 0 to 1. */
  | { readonly kind: "progress"; readonly loaded: number }
  | { readonly kind: "ready" }
  /** Python does not run here. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "answer"; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "problem"; readonly id: number; readonly problem: Problem };
