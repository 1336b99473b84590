/**
 * docs/search.md is generated from the table that the parser reads; `EXIR_VIZ_DOCS=write` generates it again.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { KEYS, languageMarkdown, parse } from "../../src/search";

const PAGE = fileURLToPath(new URL("../../../docs/search.md", import.meta.url));

test("the page has the content of the table", () => {
  if (process.env["EXIR_VIZ_DOCS"] === "write") writeFileSync(PAGE, languageMarkdown());
  expect(readFileSync(PAGE, "utf-8")).toBe(languageMarkdown());
});

test("every example is a valid query", () => {
  for (const { example } of KEYS) expect(() => parse(example)).not.toThrow();
});
