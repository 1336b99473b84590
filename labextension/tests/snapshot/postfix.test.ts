import { expect, test } from "vitest";
import { evaluatePostfix } from "../../src/snapshot";
import { cases } from "../cases";

test.each(cases("expressions")["values"] ?? [])("%s is %s for %o: %o", (_text, postfix, values, expected) => {
  const symbols = new Map(Object.entries(values as Record<string, number>));
  const found = postfix === "" ? undefined : evaluatePostfix(postfix as string, symbols);
  if (typeof expected === "number") expect(Number(found)).toBeCloseTo(expected, 12);
  else expect(found ?? null).toBe(expected);
});

test("a number that a double cannot hold exactly has no value", () => {
  const symbols = new Map([["n", 2 ** 40]]);
  expect(evaluatePostfix("n n Mul:2", symbols)).toBeUndefined();
  expect(evaluatePostfix("n 8 Mul:2", symbols)).toBe(2 ** 43);
});

test("what is no postfix text has no value", () => {
  const symbols = new Map([["n", 2]]);
  for (const text of ["", "n n", "n Add:2 Mul", "n constructor:1", "Add:2", "n :1", "n Mul:99"])
    expect([undefined, 2], text).toContain(evaluatePostfix(text, symbols));
});
