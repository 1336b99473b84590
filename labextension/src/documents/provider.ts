/**
 * Where a document gets its files: from the extension of Jupyter's server, or from anything else that runs
 * our Python reader. A document does not know which.
 */

import type { Translation } from "../hosts/translation";
import { isObject, wrongField } from "../snapshot/fields";
import { type Problem, RECORDS } from "./schema";

/** Answers are bytes from `exir_viz/server/answers.py`. Rejects with UnreadableFile. */
export interface FileProvider {
  /** `onLoading` gets the share of the reader that is loaded, from 0 to 1, where that takes a while. */
  program(path: string, signal: AbortSignal, onLoading?: (loaded: number) => void): Promise<Uint8Array>;
  /** What changed from file `a` to file `b`. */
  diff(a: string, b: string, signal: AbortSignal): Promise<Uint8Array>;
  /** What changed from stage `a` to stage `b` of a session's file, by their ids. */
  stages(path: string, a: string, b: string, signal: AbortSignal): Promise<Uint8Array>;
}

export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";

  constructor(readonly problem: Problem) {
    super(problem.reason);
  }
}

/** Validates a server's problem; undefined for anything else. */
export const asProblem = (raw: unknown): Problem | undefined =>
  isObject(raw) && !wrongField(raw, RECORDS.Problem, RECORDS) ? (raw as unknown as Problem) : undefined;

/** The problem of a file for any thrown error. */
export function problemOf(thrown: unknown, file: string, trans: Translation): Problem {
  if (thrown instanceof UnreadableFile) return thrown.problem;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { file, reason, remedy: trans.__("Try again, or reload this page.") };
}
