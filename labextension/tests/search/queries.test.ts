/**
 * Every key of the language, on real programs; each expectation is counted in another way, or known from the
 * model.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { KEYS, Searcher } from "../../src/search";
import { opName, type Snapshot } from "../../src/snapshot";
import { readCorpus } from "../snapshots";

const programs = new Map<string, Searcher>();
beforeAll(async () => {
  const names = ["llama32.core", "unbacked", "buffer_mutation.core", "nested_cond", "related_dims"];
  for (const name of names) programs.set(name, new Searcher(await readCorpus(name)));
});

function searcher(name = "llama32.core"): Searcher {
  const found = programs.get(name);
  if (!found) throw new Error(`No program ${name}.`);
  return found;
}

/** Nodes of a program that pass a test, found without the search. */
function nodes(snapshot: Snapshot, holds: (node: number) => boolean): number[] {
  return Array.from({ length: snapshot.nodeCount }, (_, node) => node).filter(holds);
}

const op = (snapshot: Snapshot, node: number): string => opName(snapshot.target(node));
const scope = (snapshot: Snapshot, node: number) => snapshot.scopes[snapshot.scopeOf(node)]?.path ?? "";
const shape = (snapshot: Snapshot, node: number): readonly (number | string)[] => {
  const value = snapshot.value(node);
  return value?.kind === "tensor" ? value.shape : [];
};

type Holds = (snapshot: Snapshot, node: number) => boolean;

const QUERIES: readonly [string, Holds][] = [
  ["op:mm", (s, n) => op(s, n) === "aten.mm.default"],
  ["op:aten.mm", (s, n) => op(s, n) === "aten.mm.default"],
  ["op:*mm*", (s, n) => op(s, n).includes("mm")],
  ["op:MM -in:lm_head", (s, n) => op(s, n) === "aten.mm.default" && scope(s, n) !== "lm_head"],
  ["name:mm_3", (s, n) => s.name(n) === "mm_3"],
  ["name:/^mm_\\d$/", (s, n) => /^mm_\d$/.test(s.name(n))],
  ["in:layers.3", (s, n) => /^model\.layers\.3(\.|$)/.test(scope(s, n))],
  ["in:layers.*.mlp", (s, n) => /^model\.layers\.\d+\.mlp(\.|$)/.test(scope(s, n))],
  ["shape:*x64", (s, n) => shape(s, n).at(-1) === 64 && s.value(n)?.kind === "tensor"],
  ["shape:1x?x64", (s, n) => /^1,[^,]+,64$/.test(shape(s, n).join(","))],
  ["shape:[16,64]", (s, n) => shape(s, n).join("x") === "16x64"],
  ["rank:>3", (s, n) => shape(s, n).length > 3],
  ["dtype:f32 rank:2", (s, n) => shape(s, n).length === 2 && s.valueText(n).startsWith("f32")],
  ["users:>3", (s, n) => s.locate(n).graph.usersOf(s.locate(n).position).length > 3],
  ["bytes:>48KB", (s, n) => (s.bytes(n) ?? 0) > 48 * 1024],
  ["bytes:4..8KB", (s, n) => (s.bytes(n) ?? 0) >= 4096 && (s.bytes(n) ?? 0) <= 8192],
  ["kind:matrix", (s, n) => s.kind(n) === "matrix"],
  ["role:parameter", (s, n) => s.inputSpec(n)?.kind === "parameter"],
  ["state:*.norm.weight", (s, n) => s.inputSpec(n)?.target?.endsWith(".norm.weight") === true],
  ["op:mm OR op:bmm", (s, n) => ["aten.mm.default", "aten.bmm.default"].includes(op(s, n))],
  [
    "(op:mm OR op:bmm) in:layers.0",
    (s, n) => /\.b?mm\./.test(op(s, n)) && /layers\.0(\.|$)/.test(scope(s, n)),
  ],
  ["-op:mm", (s, n) => op(s, n) !== "aten.mm.default"],
];

test.each(QUERIES)("%s", async (text, holds) => {
  const each = searcher();
  const found = Array.from(await each.find(text));
  expect(found).toEqual(nodes(each.snapshot, (node) => holds(each.snapshot, node)));
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(each.snapshot.nodeCount);
});

describe("states of some programs", () => {
  const names = async (program: string, text: string): Promise<string[]> => {
    const each = searcher(program);
    return Array.from(await each.find(text), (node) => each.snapshot.id(node));
  };

  test("asserts and symbols", async () => {
    expect(await names("unbacked", "is:assert")).toContain("forward/_assert_scalar_default_2");
    expect(await names("unbacked", "symbol:u0")).toContain("forward/nonzero");
    expect(await names("related_dims", "is:symbolic role:input")).not.toEqual([]);
  });

  test("mutated state", async () => {
    const found = await names("buffer_mutation.core", "is:mutated");
    expect(found.length).toBeGreaterThan(0);
    expect(await names("buffer_mutation.core", "is:mutated -role:buffer -role:input")).toEqual([]);
  });

  test("nested graphs", async () => {
    expect(await names("nested_cond", "op:cond is:nested")).toHaveLength(1);
    expect(await names("nested_cond", "is:holder -is:nested")).not.toEqual([]);
  });

  test("source: adjacent terms are about one line", async () => {
    const file = await names("llama32.core", "file:modeling_llama.py");
    const line = await names("llama32.core", "file:modeling_llama.py line:164");
    const elsewhere = await names("llama32.core", "file:linear.py line:164");
    expect(line.length).toBeGreaterThan(0);
    expect(line.length).toBeLessThan(file.length);
    expect(elsewhere).toEqual([]);
    expect(await names("llama32.core", 'code:"self.gate_proj(x)"')).toEqual(
      await names("llama32.core", "code:self.gate_proj(x)"),
    );
  });

  test("quotes keep a pattern's star as text", async () => {
    expect(await names("llama32.core", '"mm_*"')).toEqual([]);
    expect(await names("llama32.core", "mm_3")).toContain("forward/mm_35");
  });
});

test("every example of the table is valid", async () => {
  for (const { example } of KEYS) await expect(searcher().find(example)).resolves.toBeInstanceOf(Int32Array);
});
