/** A delegated program as two pictures: its ops in their modules, and its delegates as boxes. */
import { describe, expect, test } from "vitest";
import { drawList } from "../../src/canvas/drawlist";
import { plainLook } from "../../src/canvas/look";
import type { BoxPrimitive } from "../../src/canvas/primitives";
import { Explorer } from "../../src/explorer";
import { Marker } from "../../src/explorer/highlights";
import { contains } from "../../src/geometry/camera";
import { Kind } from "../../src/layout";
import { delegationOverlay } from "../../src/overlay";
import { ItemKind, Picture } from "../../src/picture";
import type { Snapshot } from "../../src/snapshot";
import { theme } from "../canvas/theme";
import { sevenWide } from "../programs";
import { snapshotAt } from "../stages/staged";

const pictureOf = (snapshot: Snapshot, isByDelegate: boolean): Picture =>
  new Picture(snapshot, snapshot.graph(0), true, sevenWide, isByDelegate);

const items = (picture: Picture): number[] => Array.from({ length: picture.count }, (_, item) => item);

const titles = (picture: Picture, ...kinds: readonly number[]): string[] =>
  items(picture)
    .filter((item) => kinds.includes(picture.kindOf(item)))
    .map((item) => picture.words.title(item));

/** Pairs of leaves joined by a line. */
function lines({ hierarchy }: Picture): [number, number][] {
  const { edgeStart, edgeTarget } = hierarchy.tree;
  return Array.from(edgeStart.slice(0, -1), (start, from) =>
    Array.from(edgeTarget.subarray(start, edgeStart[from + 1]), (to): [number, number] => [from, to]),
  ).flat();
}

/** Modules, by key, that feed something outside that feeds them again. */
function againstTheFlow(picture: Picture): string[] {
  const edges = lines(picture);
  const ahead = new Map<number, number[]>();
  for (const [from, to] of edges) ahead.set(from, [...(ahead.get(from) ?? []), to]);
  return items(picture)
    .filter((item) => picture.kindOf(item) === ItemKind.Module)
    .filter((item) => {
      const inside = new Set(picture.leavesOf(item));
      const queue = edges.filter(([from, to]) => inside.has(from) && !inside.has(to)).map(([, to]) => to);
      const seen = new Set(queue);
      for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
        for (const to of ahead.get(at) ?? []) {
          if (inside.has(to)) return true;
          if (!seen.has(to)) queue.push(to);
          seen.add(to);
        }
      }
      return false;
    })
    .map((item) => picture.words.key(item));
}

describe.each([
  ["llama2", "xnnpack"],
  ["llama2", "executorch"],
  ["dynamic_batch", "xnnpack"],
])("%s at %s", (name, stage) => {
  test("by module, delegates have no boxes: their ops are in their original modules", async () => {
    const snapshot = await snapshotAt(name, stage);
    const picture = pictureOf(snapshot, false);
    expect(snapshot.hasDelegates).toBe(true);
    expect(titles(picture, ItemKind.Holder, ItemKind.Graph)).toEqual([]);
    expect(titles(picture, ItemKind.Node)).not.toContain("executorch_call_delegate");
    expect(titles(picture, ItemKind.Node)).not.toContain("getitem");
    const before = pictureOf(await snapshotAt(name, "edge"), false);
    const modules = new Set(titles(before, ItemKind.Module));
    expect(titles(picture, ItemKind.Module).filter((title) => !modules.has(title))).toEqual([]);
    expect(againstTheFlow(picture)).toEqual(againstTheFlow(before));
  });

  test("by delegate, each has a box with its name, or one in each module that it runs a part of", async () => {
    const snapshot = await snapshotAt(name, stage);
    const picture = pictureOf(snapshot, true);
    const delegates = snapshot.graphs.filter(({ columns }) => columns.delegate);
    const holders = items(picture).filter((item) => picture.kindOf(item) === ItemKind.Holder);
    for (const graph of delegates) {
      const own = holders.filter((item) => picture.words.delegateOf(item)?.graph === graph.number);
      expect(new Set(own.map((item) => picture.words.title(item)))).toEqual(
        new Set([`XNNPACK ${delegates.indexOf(graph) + 1}`]),
      );
      expect(picture.graphItem(graph.number)).toBe(own[0]);
      const nodes = own.flatMap((box) => Array.from(picture.leavesOf(box), (leaf) => picture.nodeOf(leaf)));
      expect(nodes.length).toBeGreaterThan(0);
      expect(nodes.every((node) => snapshot.locate(node).graph === graph)).toBe(true);
      const parts = own.map((box) => picture.words.partOf(box));
      if (own.length === 1) expect(parts).toEqual([undefined]);
      else expect(parts.map((part) => part?.at)).toEqual([...own.keys()]);
      // Each box is in the module that it shows a part of, and in no module that it runs completely.
      for (const [i, box] of own.entries()) {
        const around = picture.around(box).map((item) => picture.scopeOf(item));
        const owner = parts[i]?.owner;
        if (owner !== undefined) expect(around[0] === owner || snapshot.isWhole(owner)).toBe(true);
      }
    }
    expect(holders.every((item) => picture.words.delegateOf(item) !== undefined)).toBe(true);
    expect(new Set(holders.map((item) => picture.words.key(item))).size).toBe(holders.length);
  });

  test("a module has its original parameters, including those in a backend", async () => {
    const parametersOf = (picture: Picture): Map<string, number> => {
      const modules = items(picture).filter((item) => picture.kindOf(item) === ItemKind.Module);
      const count = (item: number): number => picture.words.stateOf(item)?.parameters ?? 0;
      return new Map(modules.map((item) => [picture.words.key(item), count(item)]));
    };
    const before = parametersOf(pictureOf(await snapshotAt(name, "edge"), false));
    const after = parametersOf(pictureOf(await snapshotAt(name, stage), false));
    expect([...before.values()].filter((count) => count > 0).length).toBeGreaterThan(1);
    for (const [key, count] of after) expect([key, count]).toEqual([key, before.get(key)]);
  });

  test("by delegate, no module contains only one other box", async () => {
    const picture = pictureOf(await snapshotAt(name, stage), true);
    const links = items(picture).filter((item) => {
      const inner = picture.childrenOf(item);
      const kind = picture.kindOf(inner[0] ?? -1);
      const isBox = kind === ItemKind.Module || kind === ItemKind.Holder;
      return picture.kindOf(item) === ItemKind.Module && inner.length === 1 && isBox;
    });
    expect(links.map((item) => picture.words.title(item))).toEqual([]);
  });

  test("both show the same ops, joined by the same lines", async () => {
    const snapshot = await snapshotAt(name, stage);
    const joined = (isByDelegate: boolean): string[] => {
      const picture = pictureOf(snapshot, isByDelegate);
      const id = (item: number): string => snapshot.id(picture.nodeOf(item));
      return lines(picture)
        .map(([from, to]) => `${id(from)} → ${id(to)}`)
        .sort();
    };
    expect(joined(false)).toEqual(joined(true));
    expect(joined(false).length).toBeGreaterThan(3);
  });

  test("a delegate's call and items lead to the ops that they represent", async () => {
    const snapshot = await snapshotAt(name, stage);
    const picture = pictureOf(snapshot, false);
    const graph = snapshot.graph(0);
    for (const { call, outputs = [] } of snapshot.placement(graph).delegates.values()) {
      for (const position of [call, ...outputs.map(([item]) => item)])
        expect(picture.itemOf(graph.base + position)).toBeGreaterThanOrEqual(0);
    }
  });
});

test.each(["llama2", "llama2dynamic", "qwen2", "vit2"])(
  "by delegate too, the identical layers of %s are one box",
  async (name) => {
    const snapshot = await snapshotAt(name, "xnnpack");
    await snapshot.detail();
    const picture = pictureOf(snapshot, true);
    const layers = items(picture).filter((item) => /^layers\.\d$/.test(picture.words.title(item)));
    expect(layers.map((item) => picture.equalsOf(item))).toEqual([2, 2]);
  },
);

test("a selected part of a delegate, or an op in it, puts dashed rings around the other parts", async () => {
  const explorer = new Explorer(await snapshotAt("llama2", "xnnpack"), sevenWide, {
    width: 900,
    height: 700,
  });
  await explorer.setByDelegate(true);
  const { picture } = explorer.state;
  const boxes = items(picture).filter((item) => picture.words.partOf(item)?.count === 3);
  const same = boxes.filter((item) => picture.nodeOf(item) === picture.nodeOf(boxes[0] ?? -1));
  expect(same.length).toBe(3);
  const [part = -1, ...others] = same;
  expect(picture.otherParts(part)).toEqual(others);
  expect(picture.otherParts(picture.leavesOf(part)[0] ?? -1)).toEqual(others);
  expect(picture.otherParts(picture.parentOf(part))).toEqual([]);
  await explorer.openAll();
  const ringed = (selected: number): number => {
    explorer.select([selected]);
    const marks = new Marker().marks(explorer.state, -1);
    const { scene } = explorer.state;
    const look = { ...plainLook(explorer.picture, scene, theme, sevenWide), marks };
    const screen = { width: scene.width, height: scene.height };
    return drawList(look, { x: 0, y: 0, zoom: 1 }, screen).filter(
      (each): each is BoxPrimitive => each.type === "box" && each.line === theme.accent && !!each.dashed,
    ).length;
  };
  expect([ringed(part), ringed(picture.leavesOf(part)[0] ?? -1)]).toEqual([2, 2]);
  expect(ringed(picture.parentOf(part))).toBe(0);
});

test("a module says how many of its ops run on the CPU, as many as Python counted", async () => {
  const snapshot = await snapshotAt("llama2", "xnnpack");
  const { cpu = [], ops = 0, delegated = 0 } = snapshot.skeleton.page?.delegation ?? {};
  const nodes = new Set(cpu.flatMap((row) => row.nodes));
  expect(nodes.size).toBe(ops - delegated);
  const picture = pictureOf(snapshot, false);
  const { words } = picture;
  for (const item of items(picture).filter((each) => picture.kindOf(each) === ItemKind.Module)) {
    const count = picture.leavesOf(item).filter((leaf) => nodes.has(picture.nodeOf(leaf))).length;
    const isAll = count === words.opsOf(item);
    const expected =
      count === 0 ? [] : isAll ? [`${count} op${count > 1 ? "s" : ""} on CPU`] : [`${count} on CPU`];
    expect(words.badges(item).filter((text) => text.endsWith("on CPU"))).toEqual(expected);
  }
});

test("an op on the CPU has a dark line, the only op of a delegate a dashed one, others neither", async () => {
  const picture = pictureOf(await snapshotAt("llama2", "xnnpack"), false);
  const { words, snapshot } = picture;
  const onCpu = items(picture).filter((item) => words.isOnCpu(item));
  const alone = items(picture).filter((item) => words.isSmallDelegate(item));
  expect(onCpu.length).toBeGreaterThan(0);
  expect(alone.length).toBeGreaterThan(0);
  const one = alone[0] ?? -1;
  const row = snapshot.skeleton.page?.delegation?.delegates.find(
    ({ graph }) => graph === snapshot.locate(picture.nodeOf(one)).graph.number,
  );
  expect(row?.ops).toBe(1);
  const explorer = new Explorer(snapshot, sevenWide, { width: 900, height: 700 });
  await explorer.openAll();
  const { scene } = explorer.state;
  const look = plainLook(explorer.picture, scene, theme, sevenWide);
  const boxes = drawList(look, { x: 0, y: 0, zoom: 1 }, { width: scene.width, height: scene.height });
  const strong = boxes.filter(
    (each): each is BoxPrimitive => each.type === "box" && each.line === theme.text,
  );
  const shown = items(explorer.picture).filter((item) => scene.item[scene.slotOf[item] ?? -1] === item);
  expect(strong.filter(({ dashed, height }) => !dashed && height > 20)).toHaveLength(
    shown.filter((item) => words.isOnCpu(item)).length,
  );
  expect(strong.filter(({ dashed }) => dashed)).toHaveLength(
    shown.filter((item) => words.isSmallDelegate(item)).length,
  );
});

test("a closed module that is all on the CPU is white, others have a tint", async () => {
  const snapshot = await snapshotAt("llama2", "xnnpack");
  const explorer = new Explorer(snapshot, sevenWide, { width: 1400, height: 900 });
  const { picture } = explorer;
  const scene = picture.layout.scene(
    picture.view(new Set([picture.parentOf(embedding(picture))]), new Set()),
  );
  const boxes = drawList(
    plainLook(picture, scene, theme, sevenWide),
    { x: 0, y: 0, zoom: 1 },
    { width: 9000, height: 9000 },
  );
  const closed = items(picture).filter(
    (item) =>
      scene.item[scene.slotOf[item] ?? -1] === item && scene.kind[scene.slotOf[item] ?? -1] === Kind.Closed,
  );
  const isWhite = (item: number): boolean => {
    const at = 4 * (scene.slotOf[item] ?? 0);
    const [x, y, width] = scene.rect.subarray(at, at + 3);
    return boxes.some(
      (each) =>
        each.type === "box" &&
        each.fill === theme.box &&
        each.width === width &&
        each.x === x &&
        each.y === y,
    );
  };
  expect(closed.filter((item) => picture.words.isAllOnCpu(item))).toContain(embedding(picture));
  expect(closed.filter(isWhite)).toEqual(closed.filter((item) => picture.words.isAllOnCpu(item)));
});

const embedding = (picture: Picture): number =>
  items(picture).find((item) => picture.words.title(item) === "embed_tokens") ?? -1;

test("the legend shows a backend with the tint of boxes, as kinds of op have the same colours", async () => {
  const snapshot = await snapshotAt("llama2", "xnnpack");
  const { picture, state } = new Explorer(snapshot, sevenWide, { width: 1400, height: 900 });
  const { legend } = delegationOverlay(picture, state.scene, [0]) ?? {};
  const swatches = legend?.type === "categories" ? legend.swatches : [];
  expect(swatches.map(({ title, part }) => [title, part !== undefined])).toEqual([
    ["XNNPACK", true],
    ["CPU", false],
  ]);
});

test("what is selected stays in view when delegates become boxes, and when parameters are unfolded", async () => {
  const snapshot = await snapshotAt("llama2", "xnnpack");
  const screen = { width: 900, height: 700 };
  const explorer = new Explorer(snapshot, sevenWide, screen);
  const delegated = snapshot.graphs.filter(({ columns }) => columns.delegate);
  const { base, count } = delegated.at(-2) ?? { base: 0, count: 0 };
  const ops = Array.from({ length: count }, (_, position) => base + position).filter((node) => {
    const { graph, position } = snapshot.locate(node);
    return graph.computes(position);
  });
  const isInView = (): boolean => {
    const { camera, target } = explorer.viewportStore.state;
    const rect = explorer.rectOf(explorer.state.selected[0] ?? -1);
    return rect !== undefined && contains(target ?? camera, screen, rect);
  };
  await explorer.reveal(ops[0] ?? -1);
  expect(isInView()).toBe(true);
  for (const change of [
    () => explorer.setByDelegate(true),
    () => explorer.setFolded(false),
    () => explorer.setByDelegate(false),
  ]) {
    await change();
    expect(explorer.selectedNodes()).toEqual([ops[0]]);
    expect(isInView()).toBe(true);
  }
});
