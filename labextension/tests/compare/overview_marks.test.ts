/** Zoomed out, whole boxes have the colours of changes: names are readable on them. */
import { expect, test } from "vitest";
import { drawList } from "../../src/canvas/drawlist";
import { plainLook } from "../../src/canvas/look";
import type { BoxPrimitive, Primitive, TextPrimitive } from "../../src/canvas/primitives";
import { Tally } from "../../src/compare/model/tally";
import { CHANGE_KINDS, colorOf, textColorOn } from "../../src/compare/view/change_colors";
import { signPrimitives } from "../../src/compare/view/change_signs";
import { cellAt, LEAST, OverviewMarks } from "../../src/compare/view/overview_marks";
import type { Scene } from "../../src/layout";
import { Picture } from "../../src/picture";
import { theme } from "../canvas/theme";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";

const SCREEN = { width: 900, height: 900 };
const CAMERA = { x: 0, y: 0, zoom: 0.32 };

function painted(shut: readonly string[], camera = CAMERA): readonly Primitive[] {
  const changes = changesOf();
  const [snapshot] = changes.snapshots;
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
  const items = Array.from({ length: picture.count }, (_, item) => item);
  const open = new Set(
    items.filter((item) => picture.isGroup(item) && !shut.includes(picture.words.title(item))),
  );
  const look = plainLook(picture, picture.layout.scene(picture.view(open, new Set())), theme, sevenWide);
  const tally = new Tally(changes, picture, 0);
  const above = (...at: Parameters<typeof drawList>) => signPrimitives(tally, new Set(), ...at);
  return drawList({ ...look, above }, camera, SCREEN);
}

const last = (list: readonly Primitive[], is: (each: Primitive) => boolean): number =>
  list.reduce((found, each, at) => (is(each) ? at : found), -1);

const named = (list: readonly Primitive[], name: string): number =>
  last(list, (each) => each.type === "text" && each.text === name);

test("the name of a closed module is on the colour of its changes", () => {
  const list = painted(["first"], { ...CAMERA, zoom: 0.36 });
  const at = named(list, "first");
  expect((list[at] as TextPrimitive).color).toBe(textColorOn("rewritten"));
  const below = list
    .slice(0, at)
    .filter((each) => each.type === "box")
    .at(-1);
  expect(below).toMatchObject({ type: "box", radius: 0, fill: colorOf("rewritten") });
  expect(below?.alpha ?? 1).toBe(1);
});

test.each([0.36, 0.4, 0.8])("at zoom %s a module without a change has no badge", (zoom) => {
  const list = painted(["third"], { ...CAMERA, zoom });
  const texts = list.flatMap((each) => (each.type === "text" ? [each.text] : []));
  expect(texts).toContain("third");
  expect(texts).not.toContain("no change");
});

test("no box covers the name of an open module", () => {
  const list = painted([]);
  const filled = last(list, (each) => each.type === "box" && each.fill !== undefined);
  expect(filled).toBeGreaterThan(0);
  expect(named(list, "model")).toBeGreaterThan(filled);
});

test.each([0.27, 0.32, 0.37])(
  "at zoom %s the name of an open module is in its header, above the boxes",
  (zoom) => {
    const list = painted([], { ...CAMERA, zoom });
    const names = list.filter((each) => each.type === "text" && ["model", "second"].includes(each.text));
    expect(names.length).toBe(2);
    for (const name of names as TextPrimitive[]) {
      const below = list.filter(
        (each) =>
          each.type === "box" && each.y > name.y - 6 && each.x < name.x + 40 && each.x + each.width > name.x,
      ) as BoxPrimitive[];
      expect(below.length).toBeGreaterThan(0);
      for (const box of below) expect(name.y).toBeLessThan(box.y);
    }
  },
);

const FAR = { ...CAMERA, zoom: 0.02 };

const marksOf = (list: readonly Primitive[]): BoxPrimitive[] =>
  list.filter((each): each is BoxPrimitive => each.type === "box" && COLORS.has(each.fill ?? ""));
const COLORS = new Set(CHANGE_KINDS.map(colorOf));

test("changed boxes too low to draw have marks, large enough to notice", () => {
  const [near, far] = [marksOf(painted([])), marksOf(painted([], FAR))];
  expect(near.length).toBe(3);
  expect(far.length).toBeGreaterThan(0);
  for (const mark of far) {
    expect(38 * FAR.zoom).toBeLessThan(1);
    expect(mark.width).toBeGreaterThanOrEqual(LEAST.width);
    expect(mark.height).toBeGreaterThanOrEqual(LEAST.height);
  }
});

test("the number of marks in view of a large picture is limited, each with the colour of the most frequent kind", () => {
  const [width, height] = [150, 38];
  const across = 300;
  const rects = Array.from({ length: across ** 2 }, (_, i) => [
    (i % across) * 200,
    Math.floor(i / across) * 60,
    width,
    height,
  ]);
  const scene = { rect: Float64Array.from(rects.flat()) } as Scene;
  const overview = new OverviewMarks(
    scene,
    rects.map((_, slot) => ({ slot, kind: slot % 10 ? "changed" : "added" })),
  );
  const camera = { x: 0, y: 0, zoom: 0.005 };
  const marks = overview.primitives(scene, camera, SCREEN) as BoxPrimitive[];
  const side = cellAt(camera.zoom) * camera.zoom;
  expect(side).toBeGreaterThanOrEqual(3);
  const cells = Math.ceil((across * 200 * 0.005) / side) * Math.ceil((across * 60 * 0.005) / side);
  expect(marks.length).toBeLessThanOrEqual(cells);
  expect(new Set(marks.map(({ fill }) => fill))).toEqual(new Set([colorOf("changed")]));
  expect(overview.primitives(scene, { ...camera, x: 1e6 }, SCREEN)).toEqual([]);
  const lower = { ...camera, y: 7000 };
  const all = overview.primitives(scene, { ...lower, y: 0 }, { ...SCREEN, height: 1e4 }) as BoxPrimitive[];
  const seen = all
    .map((mark) => ({ ...mark, y: mark.y - lower.y * lower.zoom }))
    .filter(({ y, height }) => y + height >= 0 && y <= 40);
  const found = overview.primitives(scene, lower, { ...SCREEN, height: 40 }) as BoxPrimitive[];
  expect(found.length).toBeLessThan(all.length);
  expect(found.map(({ x, y }) => [x, Math.round(y * 1e3)])).toEqual(
    seen.map(({ x, y }) => [x, Math.round(y * 1e3)]),
  );
});
