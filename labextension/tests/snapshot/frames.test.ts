/** Which lines are the user's: by the table of Python's rule, and in programs with control flow. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeOverlay } from "../../src/overlay/overlay";
import { RowKind, Rows } from "../../src/panels/code/rows";
import { lineageOf } from "../../src/panels/node/lineage_steps";
import { baseName, callFrames, type Detail, type Frame, usersFrame, usersFrames } from "../../src/snapshot";
import { isUsers } from "../../src/snapshot/frames";
import { readCorpus } from "../snapshots";

const url = new URL("../../../tests/snapshot/frames.json", import.meta.url);
const table = JSON.parse(readFileSync(url, "utf8")) as Record<"users" | "not_users", string[]>;

test("which files are the user's", () => {
  expect(table.users.filter((file) => !isUsers(file))).toEqual([]);
  expect(table.not_users.filter(isUsers)).toEqual([]);
});

describe("among the frames of a node", () => {
  const TORCH = "/v/site-packages/torch/_dynamo/functional_export.py";
  const files = [TORCH, "model.py", "/v/site-packages/torch/nn/modules/container.py", "<eval_with_key>.7"];
  const frames = files.map((file, line): Frame => ({ file, line, function: "forward" }));
  const traces = [[0, 1, 2], [0, 1, 3, 3], [0, 3], []];

  test("the innermost of the user is chosen, else the innermost", () => {
    const of = (trace: number[]) => usersFrame(trace.flatMap((frame) => frames[frame] ?? []));
    expect(traces.map(of)).toEqual([1, 1, 1, -1]);
    expect(usersFrames({ frames, traces } as unknown as Detail)).toEqual([1, 1, 3, -1]);
  });

  test("calls are counted without wrappers and generated code", () => {
    expect(callFrames({ frames, traces } as unknown as Detail)).toEqual([[1, 2], [1], [0], []]);
  });
});

test("in a branch the user's line is shown: in the lineage, the code and the legend", async () => {
  const snapshot = await readCorpus("nested_cond");
  const detail = await snapshot.detail();
  expect(detail.frames?.some(({ file }) => file.startsWith("<eval_with_key>"))).toBe(true);
  const nodes = Array.from({ length: snapshot.nodeCount }, (_, node) => node);
  const lines = nodes.flatMap((node) =>
    lineageOf(snapshot, detail, node).filter(({ type }) => type === "code"),
  );
  expect(lines.length).toBeGreaterThan(4);
  expect(lines.filter(({ names }) => /higher_order|l_args/.test(names[0] ?? ""))).toEqual([]);
  // one line of the user made the whole branch, so it is shown once there
  const rows = new Rows(snapshot, detail);
  const inBranch = [...rows.kind].flatMap((kind, row) =>
    kind === RowKind.Source && snapshot.locate(rows.ref[row] ?? 0).graph.number > 0 ? [row] : [],
  );
  expect(inBranch.length).toBeLessThanOrEqual(snapshot.graphs.length - 1);
  const overlay = makeOverlay(snapshot, nodes, { name: "file", scale: "linear" }, []);
  const titles =
    overlay?.legend.type === "categories" ? overlay.legend.swatches.map(({ title }) => title) : [];
  expect(titles).toContain("concepts.py");
  expect(titles.filter((title) => title.startsWith("<"))).toEqual([]);
});

test('a cell is named "cell" in any folder', () => {
  expect(baseName("/tmp/ipykernel_12/22490511.py")).toBe("cell");
  expect(baseName("22490511.py")).toBe("cell");
  expect(baseName("src/v2.py")).toBe("v2.py");
});
