/**
 * Where a document gets its files: from the extension of Jupyter's server, or from anything else that runs
 * our Python reader. A document does not know which.
 */

/** Answers are bytes from `exir_viz/server/answers.py`. Rejects with UnreadableFile. */
export interface FileProvider {
  program(path: string, signal: AbortSignal): Promise<Uint8Array>;
  /** What changed from file `a` to file `b`. */
  diff(a: string, b: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** The part of the file that is invalid, such as a member of an archive. */
export interface Problem {
  readonly file: string;
  readonly reason: string;
  readonly remedy: string;
  /** The part of the file that is wrong, such as a member of an archive. */
  readonly member?: string;
}

export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";

  constructor(readonly problem: Problem) {
    super(problem.reason);
  }
}

/** Validates a server's problem; undefined for anything else. */
export function asProblem(told: unknown): Problem | undefined {
  if (typeof told !== "object" || told === null) return undefined;
  const { file, reason, remedy, member } = told as Record<string, unknown>;
  if (typeof file !== "string" || typeof reason !== "string" || typeof remedy !== "string") return undefined;
  return { file, reason, remedy, ...(typeof member === "string" && member && { member }) };
}

/** The problem of a file for any thrown error. */
export function problemOf(thrown: unknown, file: string): Problem {
  if (thrown instanceof UnreadableFile) return thrown.problem;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { file, reason, remedy: "Try again, or reload this page." };
}
