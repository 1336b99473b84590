import { describe, expect, test } from "vitest";
import { drawList, placeOf } from "../../src/canvas/drawlist";
import { type Look, NO_MARKS, plainLook } from "../../src/canvas/look";
import type { Primitive, TextPrimitive } from "../../src/canvas/primitives";
import { svg } from "../../src/canvas/svg";
import { clipper } from "../../src/canvas/text";
import { font } from "../../src/canvas/theme";
import { Kind, lineMeets } from "../../src/layout";
import { Picture } from "../../src/picture";
import { type GraphOf, sevenWide, snapshotOf, stack } from "../programs";
import { theme } from "./theme";

function lookAt(graph: GraphOf, isAllOpen = true): Look {
  const snapshot = snapshotOf(graph);
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
  const all = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  const scene = picture.layout.scene(picture.view(new Set(isAllOpen ? all : []), new Set()));
  return plainLook(picture, scene, theme, sevenWide);
}

const texts = (list: readonly Primitive[]): string[] =>
  list.filter((each): each is TextPrimitive => each.type === "text").map(({ text }) => text);

const screen = { width: 2000, height: 4000 };
const near = { x: -20, y: -20, zoom: 1 };

describe("levels of detail", () => {
  const look = lookAt(stack(2));

  test("zoomed in, boxes show name, value and parameters; modules show path, class and counts", () => {
    const evidenceText = texts(drawList(look, near, screen));
    expect(evidenceText).toEqual(
      expect.arrayContaining(["linear", "f32[2, 3]", "W 3×3", "model", "18 params", "4 ops", "▾"]),
    );
  });

  test("zoomed out, only names; farther out, no text on boxes", () => {
    const names = texts(drawList(look, { ...near, zoom: 0.5 }, screen));
    expect(names).toContain("linear");
    expect(names.some((text) => text.startsWith("f32"))).toBe(false);
    expect(texts(drawList(look, { ...near, zoom: 0.1 }, screen))).not.toContain("linear");
  });

  test("the underscores of names are inside the line around their boxes", () => {
    const closed = lookAt(stack(2), false);
    for (const zoom of [0.37, 0.4, 0.45, 0.5, 0.6, 0.7, 1]) {
      const camera = { ...near, zoom };
      for (const [slot, item] of closed.scene.item.entries()) {
        const box = placeOf(closed, slot, camera);
        const title = closed.picture.words.title(item);
        const [name] = drawList(closed, camera, screen).filter(
          (each): each is TextPrimitive => each.type === "text" && each.text === title,
        );
        if (!name) continue;
        const size = Number(/([\d.]+)px/.exec(name.font)?.[1]);
        // In DejaVu Sans an underscore is from 0.16 to 0.24 of the size below the baseline.
        expect(name.y + 0.2 * size).toBeLessThan(box.y + box.height - 1);
        expect(name.y - 0.73 * size).toBeGreaterThan(box.y);
      }
    }
  });

  test("no text is smaller than 9.5 pixels at any zoom", () => {
    for (const zoom of [0.1, 0.2, 0.35, 0.5, 0.66, 0.68, 0.75, 0.85, 0.95, 1, 2]) {
      for (const each of drawList(look, { ...near, zoom }, screen)) {
        if (each.type === "text")
          expect(Number(/([\d.]+)px/.exec(each.font)?.[1])).toBeGreaterThanOrEqual(9.499);
      }
    }
  });
});

test("on a closed module with a colour, nothing is dimmed", () => {
  const look = lookAt(stack(2), false);
  const textColors = (painted: Look): Set<string> =>
    new Set(
      drawList(painted, near, screen).flatMap((each) =>
        each.type === "text" && ["▸", "Block", "Model", "Stack"].some((word) => each.text.includes(word))
          ? [each.color]
          : [],
      ),
    );
  expect(textColors(look)).not.toEqual(new Set([theme.text]));
  expect(textColors({ ...look, paint: () => "#e39557" })).toEqual(new Set([theme.text]));
});

test("zoomed out, a box without an overlay colour does not have the colour of its kind", () => {
  const look = lookAt(stack(2));
  const first = look.scene.kind.indexOf(Kind.Leaf);
  const fills = (painted: Look): Set<string> =>
    new Set(
      drawList(painted, { ...near, zoom: 0.1 }, screen).flatMap((each) =>
        each.type === "box" && each.fill && each.radius === 0 ? [each.fill] : [],
      ),
    );
  const kinds = fills(look);
  const painted = fills({ ...look, paint: (slot) => (slot === first ? "#e39557" : undefined) });
  expect(painted.size).toBe(2);
  expect([...painted].filter((fill) => kinds.has(fill))).toEqual([]);
});

test("an additional badge is shown at every width of a closed module, in the longest form that leaves its title whole", () => {
  const look = lookAt(stack(2), false);
  const slot = look.scene.kind.indexOf(Kind.Closed);
  const ways = ["138 ms · 98.2% · emulated", "≈ 138 ms · 98.2%", "≈ 138 ms"];
  const badge = (at: number) => (at === slot ? ways : undefined);
  const title = look.picture.words.title(look.scene.item[slot] ?? 0);
  const evidenceText = [600, 330, 230, 190, 150].map((width) => {
    const rect = look.rect.slice();
    rect[4 * slot + 2] = width;
    const list = texts(drawList({ ...look, rect, badge }, near, screen));
    return { badge: list.filter((text) => ways.includes(text)), isWhole: list.includes(title) };
  });
  expect(evidenceText.every(({ badge: found }) => found.length === 1)).toBe(true);
  expect(new Set(evidenceText.map(({ badge: [found] }) => found))).toEqual(new Set(ways));
  for (const {
    badge: [found],
    isWhole,
  } of evidenceText)
    expect(isWhole || found === ways[2]).toBe(true);
});

test("an additional badge is beside the name of a module without room for badges", () => {
  const look = lookAt(stack(2), false);
  const slot = look.scene.kind.indexOf(Kind.Closed);
  const ways = ["138 ms · 98.2%", "138 ms"];
  const badge = (at: number) => (at === slot ? ways : undefined);
  const title = look.picture.words.title(look.scene.item[slot] ?? 0);
  const evidenceText = (width: number): string[] => {
    const rect = look.rect.slice();
    rect[4 * slot + 2] = width;
    const list = texts(drawList({ ...look, rect, badge }, { ...near, zoom: 0.5 }, screen));
    return list.filter((text) => text.startsWith(title) || ways.includes(text));
  };
  expect(evidenceText(500)).toContain(ways[0]);
  expect(evidenceText(250)).toContain(ways[1]);
  expect(evidenceText(120)).toHaveLength(1);
});

describe("culling", () => {
  test("nothing out of view is drawn", () => {
    const look = lookAt(stack(30));
    const all = drawList(look, near, { width: 9000, height: 90_000 }).length;
    const part = drawList(look, near, { width: 300, height: 200 }).length;
    expect(part).toBeLessThan(all / 5);
    expect(drawList(look, { x: 1e6, y: 1e6, zoom: 1 }, screen)).toEqual([]);
  });
});

describe("marks", () => {
  const look = lookAt(stack(2));
  const slot = look.scene.slotOf[look.picture.boxOf(look.picture.snapshot.find("linear_0") ?? -1)] ?? -1;

  test("a selected box has a ring, and its edges are drawn whole in the accent colour", () => {
    const list = drawList({ ...look, marks: { ...NO_MARKS, selected: new Set([slot]) } }, near, screen);
    expect(list.filter((each) => each.type === "box" && each.line === theme.accent)).toHaveLength(1);
    const accent = list.filter((each) => each.type === "lines" && each.color === theme.accent);
    expect(accent).toHaveLength(1);
    expect(accent[0]?.type === "lines" && accent[0].ids.length).toBe(2);
  });

  test("boxes that are not bright are dimmed", () => {
    const bright = new Uint8Array(look.scene.item.length);
    bright[slot] = 1;
    const list = drawList({ ...look, marks: { ...NO_MARKS, bright } }, near, screen);
    const alphas = new Map(
      list.filter((each) => each.type === "text").map((each) => [each.text, each.alpha]),
    );
    expect(alphas.get("output")).toBeLessThan(0.5);
    expect(alphas.get("linear")).toBeDefined();
    expect(list.some((each) => each.type === "text" && each.text === "linear" && each.alpha === 1)).toBe(
      true,
    );
  });

  test("search results have rings, also the modules that hide them", () => {
    const closed = lookAt(stack(2), false);
    const matches = new Uint8Array(closed.scene.item.length).fill(1);
    const list = drawList({ ...closed, marks: { ...NO_MARKS, matches } }, near, screen);
    const rings = list.filter((each) => each.type === "box" && each.line === theme.match);
    expect(rings).toHaveLength(closed.scene.item.length);
  });
});

test("lines are hidden while boxes move", () => {
  const look = lookAt(stack(2));
  expect(drawList({ ...look, lines: 0 }, near, screen).some((each) => each.type === "lines")).toBe(false);
});

test("a run shows its first and last member and their number", () => {
  const nodes: GraphOf["nodes"][number][] = [{ name: "x", op: "placeholder" }];
  for (let i = 0; i < 4; i++)
    nodes.push({ name: `relu_${i}`, inputs: [i ? `relu_${i - 1}` : "x"], module: `layer${i}` });
  nodes.push({ name: "output", op: "output", inputs: ["relu_3"] });
  const evidenceText = texts(drawList(lookAt({ name: "forward", nodes }, false), near, screen));
  expect(evidenceText).toContain("layer0 – layer3");
  expect(evidenceText).toContain("×4");
});

test("SVG keeps any text as text", () => {
  const hostile = `<script>alert(1)</script>&"'\u0000`;
  const look = lookAt({ name: "forward", nodes: [{ name: hostile, op: "placeholder" }] });
  const made = svg(drawList(look, near, screen), look.scene, near, screen, theme.ground);
  expect(made).not.toContain("<script");
  expect(made).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;�</text>");
});

test("SVG puts centred text at the same position as the canvas", () => {
  const look = lookAt(stack(2));
  const list = drawList(look, near, screen);
  const centred = list.filter((each) => each.type === "text" && each.align === "center").length;
  const made = svg(list, look.scene, near, screen, theme.ground);
  expect(centred).toBeGreaterThan(0);
  expect(made.match(/text-anchor="middle"/g)).toHaveLength(centred);
});

test("chips leave the middle of a box's top edge free for lines", () => {
  const look = lookAt(stack(2));
  const { scene, picture } = look;
  for (const zoom of [2, 1, 0.8]) {
    const boxes = drawList(look, { x: 0, y: 0, zoom }, screen).filter((each) => each.type === "box");
    const eaters = Array.from(scene.item).filter((item) => picture.words.chips(item).length > 0);
    expect(eaters.length).toBeGreaterThan(0);
    for (const item of eaters) {
      const slot = scene.slotOf[item] ?? 0;
      const [x = 0, y = 0, width = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
      const chips = boxes.filter(
        (box) => Math.abs(box.y + box.height / 2 - y * zoom) < 1 && box.x > x * zoom,
      );
      expect(chips).toHaveLength(1);
      expect(chips[0]?.x).toBeGreaterThanOrEqual((x + width / 2) * zoom);
    }
  }
});

/** A chain of ops in one module; the second uses a weight and a bias. */
const eater: GraphOf = {
  name: "forward",
  nodes: [
    { name: "w", op: "placeholder", parameter: "norm.weight", shape: [12] },
    { name: "b", op: "placeholder", parameter: "norm.bias", shape: [12] },
    { name: "x", op: "placeholder" },
    { name: "native_layer_norm", inputs: ["x", "w", "b"] },
    { name: "output", op: "output", inputs: ["native_layer_norm"] },
  ],
};

const ZOOMS = Array.from({ length: 34 }, (_, i) => 0.7 + 0.02 * i);

const chipsOf = (look: Look, zoom: number): string[] =>
  texts(drawList(look, { ...near, zoom }, screen)).filter((text) => /^[Wb]( |$)/.test(text));

test("either all chips show their shapes or none does", () => {
  const look = lookAt(eater);
  expect(chipsOf(look, 1)).toEqual(["b 12", "W 12"]);
  const narrow = { ...look, rect: look.rect.map((x, i) => (i % 4 === 2 ? x * 0.86 : x)) };
  const evidenceText = new Set(ZOOMS.map((zoom) => chipsOf(narrow, zoom).sort().join()));
  expect(evidenceText).toContain("W,b");
  expect(evidenceText).not.toContain("W,b 12");
  expect(evidenceText).not.toContain("W 12,b");
});

test("the name of a module that begins left of the view is at the view's edge", () => {
  const look = lookAt(stack(2));
  const slot = look.scene.kind.indexOf(Kind.Open);
  const [x = 0, , width = 0] = look.scene.rect.subarray(4 * slot);
  const nameAt = (left: number): number | undefined =>
    drawList(look, { x: left, y: -20, zoom: 1 }, screen).find(
      (each): each is TextPrimitive => each.type === "text" && each.text === "model",
    )?.x;
  expect(nameAt(x - 50)).toBeGreaterThan(50);
  expect(nameAt(x + 40)).toBeGreaterThan(0);
  expect(nameAt(x + 40)).toBeLessThan(40);
  // Of a module that is almost out of view only the end of the name is left.
  expect(nameAt(x + width - 40)).toBeLessThan(0);
});

test("an op's name fits at six tenths of its size, a module's title has priority over its badges", () => {
  const name = "scaled_dot_product";
  const graph = (module?: string): GraphOf => ({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      { name, inputs: ["x"], ...(module && { module }) },
    ],
  });
  expect(texts(drawList(lookAt(graph()), { ...near, zoom: 0.6 }, screen))).toContain(name);
  const module = "self_attn_layernorm_of_the_block";
  for (const zoom of ZOOMS)
    expect(texts(drawList(lookAt(graph(module), false), { ...near, zoom }, screen))).toContain(module);
});

/** Three parallel modules, used by one in the middle below them. */
const joined: GraphOf = {
  name: "forward",
  nodes: [
    { name: "x", op: "placeholder" },
    { name: "relu_1", inputs: ["x"], module: "left", shape: [1, 16, 64] },
    { name: "relu_2", inputs: ["x"], module: "middle", shape: [1, 16, 64] },
    { name: "relu_3", inputs: ["x"], module: "right", shape: [1, 16, 64] },
    { name: "add", inputs: ["relu_1", "relu_2", "relu_3"], module: "sum" },
    { name: "output", op: "output", inputs: ["add"] },
  ],
};

test("a label does not touch the lines of its module", () => {
  const look = lookAt(joined, false);
  const { scene } = look;
  const face = font(theme, "label");
  const labels = drawList(look, near, screen).filter((each) => each.type === "text" && each.font === face);
  expect(labels.map((each) => each.type === "text" && each.text)).toContain("f32[1, 16, 64]");
  for (const label of labels) {
    if (label.type !== "text") continue;
    const rect = { x: label.x + near.x, y: label.y + near.y - 9, width: sevenWide(label.text), height: 10 };
    for (let e = 0; e < scene.edgeSource.length; e++) {
      const [from, to] = [scene.pointStart[e] ?? 0, scene.pointStart[e + 1] ?? 0];
      expect(lineMeets(scene.points, from, to, rect), label.text).toBe(false);
    }
  }
});

test("a text is cut in its middle, never inside a character", () => {
  const clip = clipper((text) => 7 * Array.from(text).length);
  expect(clip("short", "op", 100)).toBe("short");
  expect(clip("b_model_rotary_emb_original_inv_freq", "op", 105)).toBe("b_model_r…_freq");
  expect(clip("😀".repeat(50), "op", 70)).toBe(`${"😀".repeat(6)}…${"😀".repeat(3)}`);
  expect(clip("getitem", "op", 29)).toBe("get…");
  expect(clip("layers.7", "module", 42)).toBe("laye…7");
  expect(clip("layers.17", "module", 29)).toBe("l…17");
  expect(clip("layers.100", "module", 29)).toBe("lay…");
  expect(clip("anything", "op", 10)).toBe("");
  expect(clip("x".repeat(100_000), "op", 200).length).toBeLessThan(60);
});

test("invisible characters and marks that change the text direction are made visible", () => {
  const clip = clipper(sevenWide);
  expect(clip("a\u202eb\u200bc\nd", "op", 500)).toBe("a�b�c�d");
});
