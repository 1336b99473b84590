/** Names of open modules when zoomed out so far that their headers have no room for them. */
import { expect, test, vi } from "vitest";
import { drawList } from "../../src/canvas/drawlist";
import { type Look, plainLook } from "../../src/canvas/look";
import type { BoxPrimitive, TextPrimitive } from "../../src/canvas/primitives";
import { Picture } from "../../src/picture";
import { sevenWide, snapshotOf } from "../programs";
import { theme } from "./theme";

const ZOOM = 0.2;
const CAMERA = { x: 0, y: 0, zoom: ZOOM };
const SCREEN = { width: 900, height: 900 };

/** A module with one op at the top and nine parallel ones below; all open. */
function fan(module: string, top: string): Look {
  const below = Array.from({ length: 9 }, (_, i) => `relu_${i}`);
  const snapshot = snapshotOf({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      { name: top, inputs: ["x"], module },
      ...below.map((name) => ({ name, inputs: [top], module })),
      { name: "output", op: "output" as const, inputs: below },
    ],
  });
  const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
  const groups = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  const scene = picture.layout.scene(picture.view(new Set(groups), new Set()));
  return plainLook(picture, scene, theme, sevenWide);
}

const slotOf = ({ picture, scene }: Look, title: string): number =>
  scene.item.findIndex((item) => picture.words.title(item) === title);

/** Moves some boxes to where the name of a module begins. */
function atLeft({ rect }: Look, module: number, slots: Iterable<number>): Float64Array {
  const moved = rect.slice();
  for (const slot of slots) moved[4 * slot] = (rect[4 * module] ?? 0) + 16;
  return moved;
}

const named = (look: Look, text: string): TextPrimitive | undefined =>
  drawList(look, CAMERA, SCREEN).find(
    (each): each is TextPrimitive => each.type === "text" && each.text === text,
  );

const boxesOf = (look: Look): BoxPrimitive[] =>
  drawList(look, CAMERA, SCREEN).filter(
    (each): each is BoxPrimitive => each.type === "box" && each.height < 40 * ZOOM,
  );

test.each(["stands", "moves"])("are on no box that %s, if there is room beside them", (what) => {
  const look = fan("wide", "linear_of_all_that_comes");
  const { picture, scene } = look;
  const node = picture.snapshot.find("forward/linear_of_all_that_comes") ?? -1;
  const rect = atLeft(look, slotOf(look, "wide"), [scene.slotOf[picture.boxOf(node)] ?? -1]);
  if (what === "stands") scene.rect.set(rect);
  const shown = what === "stands" ? look : { ...look, rect };
  const name = named(shown, "wide");
  if (!name) throw new Error("the module has no name");
  const boxes = boxesOf(shown);
  expect(boxes.length).toBeGreaterThan(8);
  const [right, top] = [name.x + 20, name.y - 8];
  for (const { x, y, width, height } of boxes)
    expect(x + width < name.x || x > right || y + height < top || y > name.y).toBe(true);
});

test("a module has its own name if another name made room for it", () => {
  const look = fan("wide.inner", "relu");
  const { picture, scene } = look;
  const inner = slotOf(look, "inner");
  const outer = slotOf(look, "wide");
  const rect = look.rect.slice();
  // The inner one is at the left, the outer one has room beside it.
  rect[4 * outer + 2] = (rect[4 * outer + 2] ?? 0) + 1000;
  const shown = { ...look, rect };
  expect(picture.parentOf(scene.item[inner] ?? -1)).toBe(scene.item[outer]);
  const [around, within] = [named(shown, "wide"), named(shown, "inner")];
  expect(within?.x).toBeLessThan(around?.x ?? 0);
});

test("the boxes of a module are read once per scene, however often it is painted", () => {
  const look = fan("wide", "relu");
  const calls = vi.spyOn(look.picture, "childrenOf");
  for (const zoom of [0.2, 0.19, 0.18]) drawList(look, { ...CAMERA, zoom }, SCREEN);
  expect(calls.mock.calls.length).toBe(1);
});
