/** The differences of two nodes as text, including properties that a tensor's short text omits. */
import { expect, test, vi } from "vitest";
import { SIDES } from "../../src/compare";
import { differences } from "../../src/compare/view/field_differences";
import type { TensorValue } from "../../src/snapshot";
import { changesOf } from "./compared";
import { match } from "./sample";

const TENSOR: TensorValue = { kind: "tensor", dtype: "float32", shape: [2, 3] };

test("strides, order, device and gradients are shown before and after, but not if unknown on one side", () => {
  const changes = changesOf();
  vi.spyOn(changes, "fields").mockReturnValue(["strides", "dim_order", "device", "requires_grad"]);
  const values: TensorValue[] = [
    { ...TENSOR, stride: [3, 1] },
    { ...TENSOR, stride: [1, 2], dim_order: [1, 0], device: "cuda", requires_grad: true },
  ];
  for (const side of SIDES) vi.spyOn(changes.snapshots[side], "value").mockReturnValue(values[side]);
  expect(differences(changes, match("relu"), [])).toEqual([
    { field: "strides", before: "(3, 1)", after: "(1, 2)" },
    { field: "dim_order" },
    { field: "device", before: "cpu", after: "cuda" },
    { field: "requires_grad", before: "no", after: "required" },
  ]);
});
