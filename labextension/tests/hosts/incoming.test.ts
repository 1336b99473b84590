/** Messages of the kernel are validated as in Python: `tests/cases/messages.py`. */
import { expect, test } from "vitest";
import { problemOf } from "../../src/hosts/incoming";
import { cases } from "../cases";

const messages = cases("messages")["messages"] ?? [];

test.each(messages)("%j is accepted: %s", (content, isSent) => {
  expect(problemOf(content) === undefined).toBe(isSent);
});

test("a problem names the kind or the field", () => {
  expect(problemOf(undefined)).toBe("it is no object");
  expect(problemOf({ kind: "secrets" })).toContain('"secrets"');
  expect(problemOf({ kind: "toString" })).toContain('"toString"');
  expect(problemOf({ kind: "run", stage: 1 })).toBe('its field "stage" is not string');
  expect(messages.length).toBeGreaterThan(30);
});
