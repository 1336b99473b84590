/** The messages between a page and the web worker that runs our Python reader. */
import type { Problem } from "../provider";

/** Part of `site.json`, which `scripts/site.py` writes. */
export interface ReaderFiles {
  /** The files that the reader loads, relative to `site.json`, with the bytes of each. */
  readonly reader: Readonly<Record<string, number>>;
}

/** A file, and the folder and name under which Python reads it. */
export interface NamedFile {
  readonly folder: string;
  readonly name: string;
  readonly file: Blob;
}

export type ReaderRequest =
  | { readonly kind: "start"; readonly base: string; readonly bytes: number }
  | {
      readonly kind: "read";
      readonly id: number;
      /** One to show, or two to compare. */
      readonly files: readonly NamedFile[];
      /** As a standalone page. */
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
