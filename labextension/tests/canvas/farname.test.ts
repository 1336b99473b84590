/** Names of open modules that are seen from so far that their heads have no room for them. */
import { expect, test } from "vitest";
import { drawList } from "../../src/canvas/drawlist";
import { plainLook } from "../../src/canvas/look";
import type { BoxPrimitive, TextPrimitive } from "../../src/canvas/primitives";
import { Picture } from "../../src/picture";
import { sevenWide, snapshotOf } from "../programs";
import { theme } from "./theme";

const ZOOM = 0.2;

/** One op at the top, and nine side by side below it. */
function fan(): Picture {
  const below = Array.from({ length: 9 }, (_, i) => `relu_${i}`);
  const snapshot = snapshotOf({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      { name: "linear_of_all_that_comes", inputs: ["x"], module: "wide" },
      ...below.map((name) => ({ name, inputs: ["linear_of_all_that_comes"], module: "wide" })),
      { name: "output", op: "output" as const, inputs: below },
    ],
  });
  return new Picture(snapshot, snapshot.graph(0), true, sevenWide);
}

test("lie on no box, where there is room beside them", () => {
  const picture = fan();
  const group =
    Array.from({ length: picture.count }, (_, item) => item).find((item) => picture.isGroup(item)) ?? -1;
  const scene = picture.layout.scene(picture.view(new Set([group]), new Set()));
  const first =
    scene.slotOf[picture.boxOf(picture.snapshot.find("forward/linear_of_all_that_comes") ?? -1)] ?? -1;
  const left = scene.rect[4 * (scene.slotOf[group] ?? -1)] ?? 0;
  scene.rect[4 * first] = left + 16; // where names begin
  const look = plainLook(picture, scene, theme, sevenWide);
  const list = drawList(look, { x: 0, y: 0, zoom: ZOOM }, { width: 900, height: 900 });
  const name = list.find((each): each is TextPrimitive => each.type === "text" && each.text === "wide");
  if (!name) throw new Error("the module has no name");
  const boxes = list.filter((each): each is BoxPrimitive => each.type === "box" && each.height < 40 * ZOOM);
  expect(boxes.length).toBeGreaterThan(8);
  const [right, top] = [name.x + 20, name.y - 8];
  for (const { x, y, width, height } of boxes)
    expect(x + width < name.x || x > right || y + height < top || y > name.y).toBe(true);
});
