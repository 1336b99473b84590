import { expect, test } from "vitest";
import {
  amountText,
  byteText,
  countText,
  decibelText,
  flopText,
  OP_KINDS,
  opName,
  percent,
  ratioText,
  shareText,
  short,
  type Target,
  timeText,
  valueBytes,
} from "../../src/snapshot";
import { plural, writeBytesIn } from "../../src/snapshot/format";
import { opKind } from "../../src/snapshot/opkind";
import { cases } from "../cases";

const RULES: Readonly<Record<string, (...given: never[]) => unknown>> = {
  short,
  valueBytes,
  timeText,
  byteText,
  flopText,
  shareText,
  percent,
  plural,
  ratioText,
  amountText,
  decibelText,
};

test.each(["describe", "format"])("the cases of %s.json", (file) => {
  const all = Object.entries(cases(file));
  for (const [name, of] of all) {
    const rule = RULES[name];
    expect(rule, name).toBeDefined();
    const found = of.map(
      (each) => rule?.(...(each.slice(0, -1).map((one) => one ?? undefined) as never[])) ?? null,
    );
    expect(found, name).toEqual(of.map((each) => each.at(-1)));
  }
  expect(all.length).toBeGreaterThan(1);
});

test("sizes have the unit that the user chose", () => {
  writeBytesIn("KiB");
  expect([12, 4096, 5_300_000].map(byteText)).toEqual(["12 B", "4 KiB", "5.05 MiB"]);
  writeBytesIn("KB");
  expect(byteText(4096)).toBe("4 KB");
});

test("counts are short in narrow places", () => {
  expect([0, 9999, 12_800, 999_999, 4_100_000, 1_240_000_000].map(countText)).toEqual([
    "0",
    "9,999",
    "12.8 k",
    "1 M",
    "4.1 M",
    "1.24 B",
  ]);
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

test("inputs, control flow, arithmetic on sizes and other ops have their kinds", () => {
  expect(opKind("placeholder", { type: "input", text: "x" })).toBe("io");
  expect(opKind("call_function", { type: "higher_order", text: "cond", name: "cond" })).toBe("control");
  expect(opKind("call_function", { type: "builtin", text: "operator.mul", name: "mul" })).toBe("view");
  expect(opKind("call_function", { ...aten("mm"), namespace: "mylib" })).toBe("other");
  expect(OP_KINDS).toContain("delegate");
});

test("an op's full name omits empty parts", () => {
  expect(opName(aten("mm"))).toBe("aten.mm.default");
  expect(opName({ type: "higher_order", text: "torch.ops.higher_order.cond", name: "cond" })).toBe("cond");
});
