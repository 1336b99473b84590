import { expect, test } from "vitest";
import { renamed, userNames, withUserNames } from "../../src/snapshot/names";

const method = (...symbols: readonly (readonly [string, string?])[]) => ({
  name: "forward",
  dialect: "aten" as const,
  graph: 0,
  symbols: symbols.map(([name, dim]) => ({ name, type: "int", backed: true, ...(dim && { dim }) })),
});

test("a symbol has its user's name everywhere in an expression", () => {
  const names = userNames([method(["s70", "seq"], ["s7"], ["u0"])]);
  expect(withUserNames("2*s70 + s7 - s701", names)).toBe("2*seq + s7 - s701");
  const values = [
    { kind: "tensor", dtype: "float32", shape: [1, "s70", 64], stride: ["64*s70", 64, 1] },
    { kind: "sequence", items: [{ kind: "symbol", expr: "Max(1, s70)" }] },
    { kind: "object", name: "s70" },
  ];
  expect(renamed({ names: ["s70"], values, methods: [{ guards: ["s70 <= 64"] }] }, names)).toEqual({
    names: ["s70"],
    values: [
      { kind: "tensor", dtype: "float32", shape: [1, "seq", 64], stride: ["64*seq", 64, 1] },
      { kind: "sequence", items: [{ kind: "symbol", expr: "Max(1, seq)" }] },
      { kind: "object", name: "s70" },
    ],
    methods: [{ guards: ["seq <= 64"] }],
  });
});

test("names that would merge two symbols are not used", () => {
  expect(userNames([method(["s1", "n"], ["s2", "n"])]).size).toBe(0);
  expect(userNames([method(["s1", "s2"], ["s2"])]).size).toBe(0);
  expect(userNames([method(["s1", "n"]), method(["s1", "m"])]).size).toBe(0);
  expect([...userNames([method(["s1", "n"]), method(["s1", "n"])])]).toEqual([["s1", "n"]]);
});

test("a program without names is unchanged", () => {
  const record = { values: [{ kind: "tensor", shape: ["s1"] }] };
  expect(renamed(record, userNames([method(["s1"])]))).toBe(record);
});
