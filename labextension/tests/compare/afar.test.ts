/** Pictures that are seen from afar, whole boxes in the colours of what changed: names are read on them. */
import { expect, test } from "vitest";
import { drawList } from "../../src/canvas/drawlist";
import { plainLook } from "../../src/canvas/look";
import type { BoxPrimitive, Primitive, TextPrimitive } from "../../src/canvas/primitives";
import { colorOf, inkOn } from "../../src/compare/colors";
import { signPrimitives } from "../../src/compare/signs";
import { Tally } from "../../src/compare/tally";
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

test("the name of a closed module stands on the colour of what changed in it", () => {
  const list = painted(["first"]);
  const at = named(list, "first");
  expect((list[at] as TextPrimitive).color).toBe(inkOn("rewritten"));
  expect(list[at - 1]).toMatchObject({ type: "box", radius: 0, fill: colorOf("rewritten") });
  expect(list[at - 1]?.alpha ?? 1).toBe(1);
});

test.each([
  [0.32, 0],
  [0.4, 1],
  [0.8, 1],
])("at zoom %s %s closed module says that it has no change", (zoom, count) => {
  const list = painted(["third"], { ...CAMERA, zoom });
  expect(list.filter((each) => each.type === "text" && each.text === "no change").length).toBe(count);
});

test("no box lies on the name of an open module", () => {
  const list = painted([]);
  const filled = last(list, (each) => each.type === "box" && each.fill !== undefined);
  expect(filled).toBeGreaterThan(0);
  expect(named(list, "model")).toBeGreaterThan(filled);
});

test.each([0.27, 0.32, 0.39])(
  "at zoom %s the name of an open module keeps to its head, above the boxes",
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
