/**
 * Why the server does not show a file. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

/** Why a file is not shown, and what to do about it. `member`: the part of the file that is wrong. */
export interface Problem {
  readonly file: string;
  readonly reason: string;
  readonly remedy: string;
  readonly member?: string;
}

export const RECORDS = {
  Problem: {
    file: "string",
    reason: "string",
    remedy: "string",
    "member?": "string",
  },
} as const;
