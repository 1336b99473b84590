import { expect, test } from "vitest";
import { asSavedOutput } from "../../src/hosts/saved_output";

test("only our own output is shown", () => {
  const saved = { title: "a", height: 600, parts: { "exirviz-program": "AAAA" } };
  expect(asSavedOutput(saved)).toEqual(saved);
  for (const other of [
    null,
    "text",
    {},
    { ...saved, title: 1 },
    { ...saved, parts: { a: 1 } },
    { ...saved, parts: [], height: "9" },
  ]) {
    expect(asSavedOutput(other)).toBeUndefined();
  }
});
