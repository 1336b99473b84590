/** The cases that Python writes and the tests of both languages read; see `tests/cases`. */
import { readFileSync } from "node:fs";

/** By rule, each case with what is given and, last, what must come out. */
export type Cases = Readonly<Record<string, readonly (readonly unknown[])[]>>;

export function cases(file: string): Cases {
  const url = new URL(`../../tests/cases/${file}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as Cases;
}
