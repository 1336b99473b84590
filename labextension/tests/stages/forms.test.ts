/** What forms send: options of a step, from checkboxes and text. */
import { describe, expect, test } from "vitest";
import type { Offer, Options } from "../../src/stages";
import {
  asInputs,
  asOpRows,
  choicesOf,
  defaultsOf,
  dimsOf,
  missingIn,
  sentOf,
  Ticks,
} from "../../src/stages/forms";
import type { OpRow } from "../../src/stages/schema";

const linear: OpRow = { op: "aten.linear.default", count: 2, decomposes: true, in_core_table: true };
const relu: OpRow = { op: "aten.relu.default", count: 3, decomposes: true, core: true };
const reshape: OpRow = { op: "aten.reshape.default", count: 1, decomposes: true, implicit: true };
const mm: OpRow = { op: "aten.mm.default", count: 1, core: true };
const rows = [linear, relu, reshape, mm];

const decompose: Offer = {
  kind: "decompose",
  title: "Decompose",
  about: "",
  options: [
    { name: "ops", title: "Operators", type: "ops", default: "core", choices: ["core", "functional"] },
    { name: "but", title: "Keep", type: "ops", default: [] },
  ],
};

/** The form after some changes, each with the options at that time. */
function form(...changes: ((ticks: Ticks) => Options)[]): { options: Options; ticks: Ticks } {
  const choices = decompose.options?.[0]?.choices ?? [];
  let options = defaultsOf(decompose);
  for (const change of changes) options = { ...options, ...change(Ticks.of("ops", choices, options)) };
  return { options, ticks: Ticks.of("ops", choices, options) };
}

describe("operators to decompose", () => {
  test("unchanged, decomposes all of Core ATen", () => {
    const { options, ticks } = form();
    expect(sentOf(options)).toEqual({ ops: "core" });
    expect(rows.filter((row) => ticks.isTicked(row))).toEqual([linear, reshape]);
    expect(rows.filter((row) => ticks.canTick(row))).toEqual([linear]);
  });

  test("an op that is unchecked in Core ATen is kept, and checked again it is not", () => {
    const { options, ticks } = form((now) => now.tick(linear));
    expect(sentOf(options)).toEqual({ ops: "core", but: ["aten.linear.default"] });
    expect(ticks.isTicked(linear)).toBe(false);
    const again = form(
      (now) => now.tick(linear),
      (now) => now.tick(linear),
    );
    expect(sentOf(again.options)).toEqual({ ops: "core" });
  });

  test("decomposes only checked ops, of those that torch can decompose", () => {
    const { options, ticks } = form(
      (now) => now.choose("ticked"),
      (now) => now.tick(relu),
      (now) => now.tick(linear),
      (now) => now.tick(relu),
    );
    expect(sentOf(options)).toEqual({ ops: ["aten.linear.default"] });
    expect(rows.filter((row) => ticks.canTick(row))).toEqual([linear, relu]);
  });

  test("without checked ops cannot be sent, with a reason", () => {
    expect(missingIn(decompose, form((now) => now.choose("ticked")).options)).toContain("at least one");
    expect(missingIn(decompose, form().options)).toBe("");
  });

  test("another mode forgets kept ops; functional has no checkboxes", () => {
    const { options, ticks } = form(
      (now) => now.tick(linear),
      (now) => now.choose("functional"),
    );
    expect(sentOf(options)).toEqual({ ops: "functional" });
    expect(rows.some((row) => ticks.canTick(row))).toBe(false);
    expect(rows.filter((row) => ticks.isTicked(row))).toEqual([reshape]);
  });

  test("ops to preserve are a list that begins empty", () => {
    const ticks = Ticks.of("preserve", [], { preserve: ["aten.linear.default"] });
    expect([ticks.mode, ticks.isTicked(linear)]).toEqual(["preserve", true]);
    expect(ticks.tick(linear)).toEqual({ preserve: [] });
  });

  test("each row says what happens to it, following its checkbox", () => {
    const evidenceText = ({ ticks }: { ticks: Ticks }): string[] => rows.map((row) => ticks.say(row));
    expect(evidenceText(form())).toEqual([
      "decomposed",
      "kept (Core ATen)",
      "always decomposed",
      "kept (Core ATen, no decomposition)",
    ]);
    expect(evidenceText(form((now) => now.tick(linear)))[0]).toBe("kept");
    const ticked = form(
      (now) => now.choose("ticked"),
      (now) => now.tick(relu),
    );
    expect(evidenceText(ticked).slice(0, 2)).toEqual(["kept", "decomposed"]);
    const kept = { ticks: Ticks.of("preserve", [], { preserve: ["aten.linear.default"] }) };
    expect(evidenceText(kept).slice(0, 3)).toEqual([
      "kept",
      "kept (Core ATen)",
      "always decomposed, cannot be kept",
    ]);
    expect(kept.ticks.isTicked(reshape)).toBe(false);
  });
});

describe("inputs of a re-export", () => {
  const { rows: dims } = asInputs({
    rows: [
      { input: "x", node: "forward/x", dim: 0, size: 2, choice: "batch" },
      { input: "x", node: "forward/x", dim: 1, size: 8, choice: "static" },
      { input: "n", node: "forward/n", dim: null, size: 3, choice: "static" },
    ],
  });

  test("text becomes dims by input and position; a number input has position 0", () => {
    expect(dimsOf(dims, ["batch in 2..64", " dynamic ", "auto"])).toEqual({
      x: { "0": "batch in 2..64", "1": "dynamic" },
      n: { "0": "auto" },
    });
    expect(dimsOf(dims, ["", "static", ""])).toEqual({ x: { "1": "static" } });
  });

  test("a form begins with the program's state, or with the previous choice", () => {
    expect(choicesOf(dims, null)).toEqual(["batch", "static", "static"]);
    expect(choicesOf(dims, { x: { "1": "auto" } })).toEqual(["batch", "auto", "static"]);
  });
});

test("an invalid row is refused", () => {
  expect(() => asOpRows([{ op: 3 }])).toThrow("operators");
  expect(() => asInputs({ rows: [{ input: "x", dim: "0" }] })).toThrow("inputs");
  expect(() => asInputs("x")).toThrow("inputs");
});
