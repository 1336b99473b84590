/**
 * Messages between a page and the web worker that reads files. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

import type { Problem } from "../schema";

/** A file, and the folder and name under which Python reads it. */
export interface NamedFile {
  readonly folder: string;
  readonly name: string;
  readonly file: Blob;
}

/** Load Python from `base`; `bytes`: the size of everything that is loaded. */
export interface StartReader {
  readonly kind: "start";
  readonly base: string;
  readonly bytes: number;
}

/**
 * Read one file to show it, or two to compare them; `isPage`: as a standalone HTML page.
 *
 * stages: the ids of two stages of one file, to compare them.
 */
export interface ReadFiles {
  readonly kind: "read";
  readonly id: number;
  readonly files: readonly NamedFile[];
  readonly isPage: boolean;
  readonly stages: readonly string[];
}

/** The share of the reader that is loaded, from 0 to 1. */
export interface ReaderProgress {
  readonly kind: "progress";
  readonly loaded: number;
}

/** Python is loaded. */
export interface ReaderReady {
  readonly kind: "ready";
}

/** Python does not run here. */
export interface ReaderFailed {
  readonly kind: "failed";
  readonly reason: string;
}

/** The program, the comparison or the page. */
export interface ReaderAnswer {
  readonly kind: "answer";
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Why the files are not shown. */
export interface ReaderProblem {
  readonly kind: "problem";
  readonly id: number;
  readonly problem: Problem;
}

export type ReaderRequest = StartReader | ReadFiles;

export const READER_REQUESTS = {
  start: {
    base: "string",
    bytes: "number",
  },
  read: {
    id: "number",
    files: "NamedFile[]",
    isPage: "boolean",
    stages: "string[]",
  },
} as const;

export type ReaderResponse = ReaderProgress | ReaderReady | ReaderFailed | ReaderAnswer | ReaderProblem;

export const READER_RESPONSES = {
  progress: {
    loaded: "number",
  },
  ready: {},
  failed: {
    reason: "string",
  },
  answer: {
    id: "number",
    bytes: "Uint8Array",
  },
  problem: {
    id: "number",
    problem: "Problem",
  },
} as const;

export const PARTS = {
  NamedFile: {
    folder: "string",
    name: "string",
    file: "Blob",
  },
  Problem: {
    file: "string",
    reason: "string",
    remedy: "string",
    "member?": "string",
  },
} as const;
