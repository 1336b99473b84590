import { describe, expect, test } from "vitest";
import { drawList } from "../../src/canvas/drawlist";
import { plainLook } from "../../src/canvas/look";
import { Explorer } from "../../src/explorer";
import { ItemKind, opening, Picture, stretchesByItem } from "../../src/picture";
import { NONE } from "../../src/snapshot";
import { theme } from "../canvas/theme";
import { delegatedProfile } from "../profile/delegated";
import { branching, type GraphOf, type NodeOf, sevenWide, snapshotOf, stack } from "../programs";

const pictureOf = (graphs: readonly GraphOf[], isFolded = true): Picture => {
  const snapshot = snapshotOf(...graphs);
  return new Picture(snapshot, snapshot.graph(0), isFolded, sevenWide);
};

/** The visible boxes: a line each, indented by depth. */
function seen(
  picture: Picture,
  open: ReadonlySet<number>,
  unrolled: ReadonlySet<number> = new Set(),
): string[] {
  const scene = picture.layout.scene(picture.view(open, unrolled));
  return Array.from(scene.item, (item, slot) => {
    const times = (scene.members[slot] ?? 1) > 1 ? ` ×${scene.members[slot]}` : "";
    return `${"  ".repeat(scene.depth[slot] ?? 0)}${picture.words.title(item)}${times}`;
  });
}

const groups = (picture: Picture): Set<number> =>
  new Set(Array.from({ length: picture.count }, (_, item) => item).filter((item) => picture.isGroup(item)));

test("closed, a program is its inputs, its modules and its output", () => {
  expect(seen(pictureOf([stack(3)]), new Set())).toEqual(["x", "model", "output"]);
});

test("consecutive identical modules are one box, and their template opens among them", () => {
  const picture = pictureOf([stack(5)]);
  const model = picture.itemAt("forward:L__self__model") ?? -1;
  const layers = picture.itemAt("forward:L__self__model.layers") ?? -1;
  const third = picture.itemAt("forward:L__self__model.layers.2") ?? -1;
  expect(seen(picture, new Set([model, layers]))).toContain("    0 ×5");
  expect(seen(picture, new Set([model, layers, third]))).toEqual(
    expect.arrayContaining(["    0 ×2", "    2", "      linear", "      relu", "    3 ×2"]),
  );
  expect(
    seen(picture, new Set([model, layers]), new Set([layers])).filter((line) => /^ {4}\d$/.test(line)),
  ).toHaveLength(5);
  expect(picture.equalsOf(third)).toBe(5);
});

/** `stack`, with a weight or a value of one layer of another size. */
function uneven(layers: number, changed: string): GraphOf {
  const { name, nodes } = stack(layers);
  return { name, nodes: nodes.map((node) => (node.name === changed ? { ...node, shape: [9, 3] } : node)) };
}

test.each([
  ["weights", "p_1"],
  ["values", "relu_1"],
])("layers whose %s have other sizes are similar, not identical, and not in one run", (_, changed) => {
  const picture = pictureOf([uneven(4, changed)]);
  const at = (path: string): number => picture.itemAt(`forward:L__self__model${path}`) ?? -1;
  const lines = seen(picture, new Set([at(""), at(".layers")]));
  expect(lines.filter((line) => /^ {4}\d/.test(line))).not.toContain("    0 ×4");
  expect(picture.equalSiblings(at(".layers.1"))).toEqual([at(".layers.1")]);
  expect(picture.equalsOf(at(".layers.1"))).toBe(1);
  expect(picture.similarSiblings(at(".layers.1"))).toEqual([0, 2, 3].map((layer) => at(`.layers.${layer}`)));
  expect(picture.areSimilar(at(".layers.0"), at(".layers.1"))).toBe(true);
});

test("layers of equal sizes are identical, and similar to none", () => {
  const picture = pictureOf([stack(4)]);
  expect(picture.similarSiblings(picture.itemAt("forward:L__self__model.layers.1") ?? -1)).toEqual([]);
});

test("hidden siblings have one box, and a run of identical modules continues beside it", () => {
  const picture = pictureOf([stack(6)]);
  const model = picture.itemAt("forward:L__self__model") ?? -1;
  const layers = picture.itemAt("forward:L__self__model.layers") ?? -1;
  const items = Array.from(picture.childrenOf(layers));
  const stretches = stretchesByItem([{ items: items.slice(1, 3), count: 4 }]);
  const view = picture.view(new Set([model, layers]), new Set(), undefined, stretches);
  const scene = picture.layout.scene(view);
  const shown = Array.from(scene.item, (item, slot) => [items.indexOf(item), scene.members[slot]]);
  expect(shown.filter(([at]) => (at ?? -1) >= 0)).toEqual([
    [0, 1],
    [1, 2],
    [3, 3],
  ]);
});

describe("folding parameters", () => {
  test("folded, a parameter is a chip on the op that uses it, and not a box", () => {
    const picture = pictureOf([stack(1)]);
    const linear = picture.boxOf(picture.snapshot.find("linear_0") ?? -1);
    expect(picture.words.chips(linear)).toEqual([{ text: "W 3×3", short: "W" }]);
    expect(picture.boxOf(picture.snapshot.find("p_0") ?? -1)).toBe(-1);
  });

  test("not folded, it is in the module that uses it", () => {
    const picture = pictureOf([stack(1)], false);
    const box = picture.boxOf(picture.snapshot.find("p_0") ?? -1);
    expect(picture.words.title(picture.parentOf(box))).toBe("0");
    expect(picture.words.chips(picture.boxOf(picture.snapshot.find("linear_0") ?? -1))).toEqual([]);
  });

  test("unread state is in a group that says so", () => {
    const idle: GraphOf = {
      name: "forward",
      nodes: [
        { name: "p", op: "placeholder", parameter: "w" },
        { name: "x", op: "placeholder" },
        { name: "relu", inputs: ["x"] },
        { name: "output", op: "output", inputs: ["relu"] },
      ],
    };
    const picture = pictureOf([idle]);
    const group = picture.parentOf(picture.boxOf(0));
    expect(picture.words.title(group)).toBe("unused state");
    expect(picture.reasonOf(group)).toMatch(/no op here uses/);
  });
});

describe("control flow", () => {
  const picture = pictureOf(branching());

  test("an op that runs graphs contains them, and replaces the get_attr nodes that name them", () => {
    expect(seen(picture, new Set())).toEqual(["x", "gt", "cond", "neg", "output"]);
    expect(seen(picture, groups(picture))).toEqual([
      "x",
      "gt",
      "cond",
      "neg",
      "output",
      "  cond",
      "  true_graph",
      "  false_graph",
      "    a",
      "    sin",
      "    output",
      "    a",
      "    cos",
      "    output",
    ]);
  });

  test("its value comes out of the branches, its operands enter through the op", () => {
    const scene = picture.layout.scene(picture.view(groups(picture), new Set()));
    const name = (slot: number): string => picture.words.key(scene.item[slot] ?? -1);
    const edges = Array.from(
      scene.edgeSource,
      (from, e) => `${name(from)} > ${name(scene.edgeTarget[e] ?? -1)}`,
    );
    expect(edges).toEqual(
      expect.arrayContaining([
        "forward/gt > forward/cond",
        "forward/cond > forward/true_graph/a",
        "forward/true_graph/output > forward/neg",
        "forward/false_graph/output > forward/neg",
      ]),
    );
  });
});

test("every item has its own key, which finds it again", () => {
  const picture = pictureOf([stack(3), ...branching().slice(1)]);
  for (let item = 0; item < picture.count; item++) {
    expect(picture.itemAt(picture.words.key(item))).toBe(item);
  }
});

test("modules count their calls and parameters", () => {
  const picture = pictureOf([stack(4)]);
  const model = picture.itemAt("forward:L__self__model") ?? -1;
  expect(picture.words.badges(model)).toEqual(["36 params", "8 ops"]);
});

test("thousands of nodes without a module are grouped, and the group says that it was inserted", () => {
  const nodes = [
    { name: "x", op: "placeholder" as const },
    ...Array.from({ length: 1200 }, (_, i) => ({
      name: `n_${i}`,
      target: ["mm", "add", "relu", "mul", "sub", "neg", "exp", "tanh"][i % 8] ?? "mm",
      inputs: [i ? `n_${i - 1}` : "x"],
    })),
  ];
  const picture = pictureOf([{ name: "forward", nodes }]);
  const lines = seen(picture, new Set());
  expect(lines.length).toBeLessThan(200);
  const ours = [...groups(picture)];
  expect(ours.every((item) => picture.kindOf(item) === ItemKind.Ours)).toBe(true);
  expect(ours.map((item) => picture.reasonOf(item))).toContainEqual(
    expect.stringMatching(/repeats of the same \d+ nodes/),
  );
});

test("a module is drawn once in each graph that calls it, and its items are computed once", () => {
  const { snapshot } = delegatedProfile("cpu").profile;
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
  const [first = -1, second = -1, whole = -1] = ["first", "second", ""].map((path) =>
    snapshot.scopes.findIndex((scope) => scope.path === path),
  );
  const graphs = (scope: number) =>
    picture.moduleItems(scope).map((item) => picture.graphAround(item).number);
  expect([graphs(first), graphs(second), graphs(whole)]).toEqual([[1], [1, 0], []]);
  expect(picture.firstModule(second)).toBe(picture.moduleItem(0, second));
  expect(picture.firstModule(first)).toBe(picture.moduleItem(1, first));
  expect([picture.firstModule(whole), picture.moduleItem(0, first)]).toEqual([undefined, undefined]);
  expect(picture.graphOf(picture.graphItem(1) ?? -1)?.number).toBe(1);
  expect(picture.moduleItems(second)).toBe(picture.moduleItems(second));
});

describe("opening", () => {
  test("opens as much as fits, and a single module in any case", () => {
    const picture = pictureOf([stack(8)]);
    const large = opening(picture, { width: 1200, height: 900 });
    const small = opening(picture, { width: 300, height: 200 });
    expect(large.open.size).toBeGreaterThan(small.open.size);
    expect(large.scene.width * 0.7).toBeLessThanOrEqual(1200);
    expect(large.scene.height * 0.7).toBeLessThanOrEqual(900);
  });

  test("of identical modules one is opened", () => {
    const picture = pictureOf([stack(8)]);
    const { open } = opening(picture, { width: 1200, height: 900 });
    const layers = [...open].filter((item) => /^\d$/.test(picture.words.title(item)));
    expect(layers).toHaveLength(1);
  });
});

test("sizes are computed for visible boxes, and for all in a worker; they are equal", () => {
  const some = pictureOf([stack(20)]);
  seen(some, new Set());
  const sized = (picture: Picture): number => picture.tree.height.filter((height) => height > 0).length;
  expect(sized(some)).toBe(3);
  const all = pictureOf([stack(20)]);
  expect(all.sizedTree().width.every((width) => width > 0)).toBe(true);
  expect(sized(all)).toBe(all.count);
  some.view(groups(some), new Set());
  expect(Array.from(some.tree.width)).toEqual(Array.from(all.tree.width));
});

test("an expansion that cannot fit is not laid out", () => {
  const picture = pictureOf([stack(400)]);
  let laidOut = 0;
  const { layout } = picture;
  const scene = layout.scene.bind(layout);
  layout.scene = (view) => {
    laidOut++;
    return scene(view);
  };
  opening(picture, { width: 600, height: 400 });
  expect(laidOut).toBeLessThan(8);
});

/** One op in the innermost of nested modules, others after it in modules around it. */
function nested(depth: number, ops: number): GraphOf {
  const path = (length: number): string => Array.from({ length }, (_, i) => `m${i}`).join(".");
  const nodes: NodeOf[] = [{ name: "x", op: "placeholder" }];
  for (let i = 0; i < ops; i++) {
    const module = path(Math.max(1, depth - i));
    nodes.push({ name: `relu_${i}`, inputs: [nodes[i]?.name ?? "x"], module });
  }
  nodes.push({ name: "output", op: "output", inputs: [nodes.at(-1)?.name ?? "x"] });
  return { name: "forward", nodes };
}

test.each([1, 2, 3, 5, 8, 40])(
  "%i modules around one another are drawn, whatever they hold",
  async (depth) => {
    for (const ops of [1, 2, depth, depth + 3]) {
      const snapshot = snapshotOf(nested(depth, ops));
      const explorer = new Explorer(snapshot, sevenWide, { width: 900, height: 700 });
      await explorer.openAll();
      const { scene } = explorer.state;
      const look = plainLook(explorer.picture, scene, theme, sevenWide);
      const drawn = drawList(look, { x: 0, y: 0, zoom: 1 }, { width: scene.width, height: scene.height });
      expect(drawn.filter(({ type }) => type === "box").length).toBeGreaterThanOrEqual(ops);
      const { words } = explorer.picture;
      const items = Array.from({ length: explorer.picture.count }, (_, item) => item);
      expect(new Set(items.map((item) => words.key(item))).size).toBe(items.length);
      expect(items.filter((item) => words.isSmallDelegate(item) || words.isOnCpu(item))).toEqual([]);
      for (const item of items) {
        const [scope, node] = [explorer.picture.scopeOf(item), explorer.picture.nodeOf(item)];
        if (scope !== NONE) expect(snapshot.scopes[scope]?.path.endsWith(words.title(item))).toBe(true);
        else if (node !== NONE) expect(words.key(item)).toBe(snapshot.id(node));
        // @ts-expect-error the number of a module call is not that of a node
        if (scope !== NONE && scope >= snapshot.nodeCount) expect(() => snapshot.id(scope)).toThrow();
      }
    }
  },
);
