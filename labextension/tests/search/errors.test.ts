/** The texts and positions of errors: a contract. */
import { describe, expect, test } from "vitest";
import { isReadable, parse, QueryError } from "../../src/search";
import { glob, globList } from "../../src/search/pattern";

function error(text: string): QueryError {
  try {
    parse(text);
  } catch (problem) {
    if (problem instanceof QueryError) return problem;
    throw problem;
  }
  throw new Error(`"${text}" was read.`);
}

// query, the characters that are marked, message, suggestions
const ERRORS: readonly [string, string, string, readonly string[]][] = [
  [
    "mm opp:linear",
    "opp",
    'Unknown key "opp". Did you mean op? To find the text itself, quote it: "opp:linear".',
    ["op"],
  ],
  [
    "kind:matirx",
    "matirx",
    'Unknown value "matirx" for kind. Did you mean matrix? Values: matrix, pointwise, reduce, view, copy, control, delegate, io, other.',
    ["matrix"],
  ],
  ["users:many", "many", 'users: takes a number, not "many". Examples: users:3, users:>3, users:3..5.', []],
  ["users:3KB", "3KB", 'users: takes no unit, not "KB".', []],
  ["bytes:>3kg", ">3kg", 'bytes: takes B, KB, MB, GB or TB, not "kg".', []],
  ["op:", "op:", "Add a value after op: – for example op:aten.mm.", ["op:aten.mm"]],
  ["(op:mm", "(", "Missing ). Add it.", []],
  ["op:mm )", ")", "Unmatched ). Remove it.", [""]],
  ["a ()", "(", "Empty parentheses.", []],
  ["a OR", "OR", 'Add a term after OR. To find the word itself, quote it: "OR".', []],
  ["OR a", "OR", 'Add a term before OR. To find the word itself, quote it: "OR".', []],
  ['say "this', '"this', 'Unterminated quote. Add ".', ['"this"']],
  [
    "name:/(a+)+$/",
    "/(a+)+$/",
    "This regular expression could run forever: it nests repeats. Use fewer repeats.",
    [],
  ],
  ["/a(/", "/a(/", "Invalid regular expression: Unterminated group.", []],
];

test.each(ERRORS)("%s", (text, marked, message, suggestions) => {
  const { message: evidenceText, span, suggestions: made } = error(text);
  expect(evidenceText).toBe(message);
  expect(text.slice(span.start, span.end)).toBe(marked);
  expect(made).toEqual(suggestions);
});

test("an unknown key that is similar to none lists all keys", () => {
  expect(error("zzzz:1").message).toContain("Keys: op, name, in, class,");
});

test("an invalid query differs from one without results", () => {
  for (const [query] of ERRORS) expect(isReadable(query), query).toBe(false);
  expect(isReadable("op:nothing -a")).toBe(true);
});

describe("globs", () => {
  test.each([
    ["mm*", "mm_3", true],
    ["*mm", "addmm", true],
    ["a*b*c", "a__b__c", true],
    ["a*b", "ab", true],
    ["ab*ba", "aba", false],
    ["mm", "mm_3", false],
  ])("%s on %s", (pattern, text, holds) => expect(glob(pattern, text)).toBe(holds));

  test("lists", () => {
    expect(globList(["*", "64"], ["1", "16", "64"])).toBe(true);
    expect(globList(["?", "64"], ["1", "16", "64"])).toBe(false);
    expect(globList([], [])).toBe(true);
    expect(globList([], ["1"])).toBe(false);
  });

  test("no pattern takes more steps than its length times the text's", () => {
    expect(glob(`${"*a".repeat(2000)}*b`, "a".repeat(5000))).toBe(false);
  });
});
