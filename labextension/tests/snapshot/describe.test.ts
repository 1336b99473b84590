import { expect, test } from "vitest";
import { byteText, countText, OP_KINDS, opName, short, type Target, valueBytes } from "../../src/snapshot";
import { opKind } from "../../src/snapshot/opkind";

test("values are said in one line", () => {
  expect(short({ kind: "tensor", dtype: "float32", shape: ["s77", 64] })).toBe("f32[s77, 64]");
  expect(
    short({ kind: "sequence", type: "tuple", items: [{ kind: "tensor", dtype: "int64", shape: [] }] }),
  ).toBe("(i64[])");
  expect(short({ kind: "symbol", type: "int", expr: "u0" })).toBe("Sym(u0)");
  expect(short({ kind: "literal", type: "none", text: "None" })).toBe("None");
  expect(short(undefined)).toBe("–");
});

test("bytes are counted where sizes are numbers", () => {
  expect(valueBytes({ kind: "tensor", dtype: "float16", shape: [2, 3] })).toBe(12);
  expect(valueBytes({ kind: "tensor", dtype: "float32", shape: ["s0"] })).toBeUndefined();
  expect(valueBytes({ kind: "tensor", dtype: "float8_e4m3fn", shape: [5] })).toBe(5);
});

test("numbers are said with units and sensible digits", () => {
  expect([0, 512, 4096, 5 << 20, undefined].map(byteText)).toEqual(["0 B", "512 B", "4 KB", "5 MB", "–"]);
  expect([0, 9999, 12_800, 4_100_000].map(countText)).toEqual(["0", "9,999", "12.8 k", "4.1 M"]);
});

const aten = (name: string, overload = "default"): Target => ({
  type: "op",
  text: `torch.ops.aten.${name}.${overload}`,
  namespace: "aten",
  name,
  overload,
});

test.each([
  ["mm", "matrix"],
  ["add_", "pointwise"],
  ["_softmax", "reduce"],
  ["view_copy", "view"],
  ["slice_backward", "view"],
  ["embedding", "copy"],
  ["_assert_scalar", "control"],
  ["no_such_op_at_all", "other"],
])("aten.%s is of kind %s", (name, kind) => {
  expect(opKind("call_function", aten(name))).toBe(kind);
});

test("inputs, control flow, arithmetic on sizes and foreign ops have their kinds", () => {
  expect(opKind("placeholder", { type: "input", text: "x" })).toBe("io");
  expect(opKind("call_function", { type: "higher_order", text: "cond", name: "cond" })).toBe("control");
  expect(opKind("call_function", { type: "builtin", text: "operator.mul", name: "mul" })).toBe("view");
  expect(opKind("call_function", { ...aten("mm"), namespace: "mylib" })).toBe("other");
  expect(OP_KINDS).toContain("delegate");
});

test("an op's full name leaves out what is empty", () => {
  expect(opName(aten("mm"))).toBe("aten.mm.default");
  expect(opName({ type: "higher_order", text: "torch.ops.higher_order.cond", name: "cond" })).toBe("cond");
});
