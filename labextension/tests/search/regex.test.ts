/** No regular expression runs forever: risky ones are refused, the others are stopped in time and say so. */
import { describe, expect, test } from "vitest";
import { parse, Searcher } from "../../src/search";
import { riskOf, SlowSearch, timed } from "../../src/search/regex";
import { snapshotOf, stack } from "../programs";

describe("an expression that could run forever", () => {
  test.each([
    "(a+)+$",
    "(a|a)*$",
    "(a?){30}a{30}",
    "((x\\d+))*y",
    "(?:a|b)+",
    "(a)\\1",
    ".*.*.*.*x",
    "(.*a){20}",
    "([a-z]+)*!",
    "(\\w{2,}_)+",
  ])("%s is refused", (source) => {
    expect(riskOf(source)).toBeDefined();
    expect(() => parse(`/${source}/`)).toThrow("could run forever");
  });

  test.each([
    "^mm_\\d+$",
    "(mm|addmm)_\\d+",
    "layers\\.\\d+\\..*proj",
    "[*+(]+",
    "a\\+\\+\\+\\+",
    "(ab)+",
    "x{2}",
    "(?=a)b",
  ])("%s is accepted", (source) => {
    expect(riskOf(source)).toBeUndefined();
  });

  test("the worst accepted expression tests a long name at once", () => {
    const slow = timed(/.*.*.*\d/i);
    const start = performance.now();
    expect(slow("a".repeat(100_000))).toBe(false);
    const one = performance.now() - start;
    const again = performance.now();
    expect(slow("a".repeat(200))).toBe(false);
    // A long name costs as much as its beginning.
    expect(one).toBeLessThan(20 * (performance.now() - again) + 20);
  });

  test("many texts together are stopped, with the reason", () => {
    let time = 0;
    const test = timed(/x/i, () => {
      time += 400;
      return time;
    });
    expect(() => {
      for (let i = 0; i < 1000; i++) test("y");
    }).toThrow(SlowSearch);
  });
});

describe("a bare word", () => {
  const nodes = ["x", "ab", "c", "abc", "İx", "b\nc"].map((name) => ({ name, op: "placeholder" as const }));
  const snapshot = snapshotOf({ name: "forward", nodes });
  const found = (query: string): string[] =>
    Array.from(new Searcher(snapshot).match(parse(query)), (node) => snapshot.name(node));

  test("is searched in each name, and not across two", () => {
    expect(found("ab")).toEqual(["ab", "abc"]);
    expect(found("c")).toEqual(["c", "abc", "b\nc"]);
    expect(found("bc")).toEqual(["abc"]);
    expect(found('"b\nc"')).toEqual(["b\nc"]);
    expect(found("x")).toEqual(["x", "İx"]);
  });

  test("is found like a pattern", () => {
    const many = snapshotOf(stack(6));
    const all = (query: string): number[] => [...new Searcher(many).match(parse(query))];
    expect(all("linear").length).toBeGreaterThan(5);
    expect(all("linear")).toEqual(all("*linear*"));
    expect(all("linear")).toEqual(all("/linear/"));
  });
});
