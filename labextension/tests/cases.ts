/** The cases that Python generates and the tests of both languages read; see `tests/cases`. */
import { readFileSync } from "node:fs";

/** By rule, each case with its input and, last, the expected output. */
export type Cases = Readonly<Record<string, readonly (readonly unknown[])[]>>;

export function cases(file: string): Cases {
  const url = new URL(`../../tests/cases/${file}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as Cases;
}
