import { expect, test } from "vitest";
import { Picture } from "../../src/picture";
import { NONE, Snapshot } from "../../src/snapshot";
import { detailOf, type GraphOf, type NodeOf, sevenWide, skeletonOf } from "../programs";

/** A module with a norm, and ops of three lines: one op, ten ops, one op. */
function program(): GraphOf {
  const nodes: NodeOf[] = [{ name: "x", op: "placeholder" }];
  const add = (name: string, module: string): number =>
    nodes.push({ name, inputs: [nodes[nodes.length - 1]?.name ?? "x"], module });
  add("norm", "attn.norm");
  add("view", "attn");
  for (let i = 0; i < 10; i++) add(`mul_${i}`, "attn");
  add("neg", "attn");
  return { name: "forward", nodes: [...nodes, { name: "output", op: "output", inputs: ["neg"] }] };
}

/** The same ten ops of one line, each followed by one of another line that uses it, or that it uses. */
function mixed(isFed: boolean): GraphOf {
  const nodes: NodeOf[] = [
    { name: "x", op: "placeholder" },
    { name: "norm", inputs: ["x"], module: "attn.norm" },
    { name: "view", inputs: ["norm"], module: "attn" },
  ];
  for (let i = 0; i < 10; i++) {
    const before = i ? (isFed ? `neg_${i - 1}` : `mul_${i - 1}`) : "view";
    nodes.push({ name: `mul_${i}`, inputs: [before], module: "attn" });
    nodes.push({ name: `neg_${i}`, inputs: [`mul_${i}`], module: "attn" });
  }
  return { name: "forward", nodes: [...nodes, { name: "output", op: "output", inputs: ["neg_9"] }] };
}

async function pictureOf(isDetailHere: boolean, graph = program()): Promise<Picture> {
  const skeleton = skeletonOf(graph);
  const names = skeleton.graphs[0]?.names ?? [];
  const lineOf = (name: string): number =>
    name.startsWith("mul") ? 1 : name === "view" ? 0 : name.startsWith("neg") ? 2 : NONE;
  const bare = detailOf(skeleton);
  const code = ["y = x.view(-1)", "q, k = rotate(q, k)", "return -y"];
  const detail = {
    ...bare,
    frames: [
      { file: "m.py", line: 1, function: "forward" },
      ...code.map((text, i) => ({ file: "/a/b/m.py", line: 10 + i, function: "forward", code: text })),
    ],
    traces: [
      [0, 1],
      [0, 2],
      [0, 3],
    ],
    graphs: bare.graphs.map((graph) => ({ ...graph, traces: names.map(lineOf) })),
  };
  const snapshot = new Snapshot(skeleton, async () => detail);
  if (isDetailHere) await snapshot.detail();
  return new Picture(snapshot, snapshot.graph(0), true, sevenWide);
}

const titles = (picture: Picture): string[] =>
  Array.from({ length: picture.count }, (_, item) => item)
    .filter((item) => picture.isGroup(item))
    .map((item) => picture.words.title(item));

test("ops of one line form a group, named after the called function", async () => {
  const picture = await pictureOf(true);
  expect(titles(picture)).toEqual(["attn", "norm", "rotate"]);
  const group = Array.from({ length: picture.count }, (_, item) => item).find(
    (item) => picture.words.title(item) === "rotate",
  );
  expect(picture.words.opsOf(group ?? -1)).toBe(10);
  expect(picture.words.subtitle(group ?? -1)).toBe("line 11");
  expect(picture.reasonOf(group ?? -1)).toContain("m.py:11: q, k = rotate(q, k)");
});

test("without the detail there is no such group", async () => {
  expect(titles(await pictureOf(false))).toEqual(["attn", "norm"]);
});

test("ops of one line with others between them form one group, unless they feed each other through these", async () => {
  expect(titles(await pictureOf(true, mixed(false)))).toEqual(["attn", "norm", "rotate", "return -y"]);
  expect(titles(await pictureOf(true, mixed(true)))).toEqual(["attn", "norm"]);
});
