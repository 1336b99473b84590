/** Rows of code: every node once, under the headings of its modules; statements as Python. */
import { describe, expect, test } from "vitest";
import { RowKind, Rows, shownRows } from "../../src/panels/code/rows";
import { statement, statementText } from "../../src/panels/code/statement";
import { NONE } from "../../src/snapshot";
import { readCorpus } from "../snapshots";
import { nodeNamed } from "./stage";

const PROGRAMS = ["llama32.core", "bert.core", "nested_cond", "module_called_twice", "control_flow"];

describe.each(PROGRAMS)("%s", async (name) => {
  const snapshot = await readCorpus(name);
  const rows = new Rows(snapshot, await snapshot.detail());

  test("every node has one row", () => {
    const nodes = [...rows.ref].filter((_, row) => rows.kind[row] === RowKind.Node);
    expect(nodes.sort((a, b) => a - b)).toEqual(Array.from({ length: snapshot.nodeCount }, (_, i) => i));
    for (let node = 0; node < snapshot.nodeCount; node++) expect(rows.ref[rows.rowOf(node)]).toBe(node);
  });

  test("the headings of a node are its modules", () => {
    for (let node = 0; node < snapshot.nodeCount; node++) {
      const { graph, position } = snapshot.locate(node);
      const scope = snapshot.scopeOf(node);
      if (scope === NONE || graph.op(position) === "output") continue;
      const row = rows.rowOf(node);
      const headings = rows.headings(row);
      const scopes = headings
        .filter((each) => rows.kind[each] === RowKind.Module)
        .map((each) => rows.ref[each]);
      expect(scopes.reverse()).toEqual(snapshot.scopeChain(scope));
      for (const heading of headings) expect(rows.end[heading]).toBeGreaterThan(row);
    }
  });

  test("folding a heading hides only what is under it", () => {
    for (const heading of rows.modules(0).slice(0, 20)) {
      const shown = shownRows(rows, new Set([heading]));
      expect(shown.length).toBe(rows.count - ((rows.end[heading] ?? 0) - heading - 1));
      expect(shown).toContain(heading);
    }
  });
});

test("statements", async () => {
  const snapshot = await readCorpus("llama32.core");
  const detail = await snapshot.detail();
  const text = (name: string) => statementText(statement(snapshot, detail, nodeNamed(snapshot, name)));
  expect(text("mm_35")).toBe("mm_35: f32[16, 64] = aten.mm.default(view_135, permute_70)");
  expect(text("input_ids")).toBe("input_ids: i64[1, 16]");
  expect(text("output")).toBe("return (view_865,)");
  expect(text("permute_70")).toBe(
    "permute_70: f32[64, 64] = aten.permute.default(p_model_layers_5_self_attn_q_proj_weight, [1, 0])",
  );
});
