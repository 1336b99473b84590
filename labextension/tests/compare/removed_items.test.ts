import { describe, expect, it } from "vitest";
import { drawList } from "../../src/canvas/drawlist";
import { type Look, plainLook } from "../../src/canvas/look";
import type { LinesPrimitive } from "../../src/canvas/primitives";
import { svg } from "../../src/canvas/svg";
import { removedIn } from "../../src/compare/superimposed/superimposed_graph";
import { UnitedProgram } from "../../src/compare/superimposed/united_program";
import { Picture } from "../../src/picture";
import { theme } from "../canvas/theme";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";

const union = new UnitedProgram(changesOf());
const picture = new Picture(union.snapshot, union.snapshot.graph(0), true, sevenWide);

function sceneWith(isOpen: (title: string) => boolean) {
  const groups = Array.from({ length: picture.count }, (_, item) => item).filter(
    (item) => picture.isGroup(item) && isOpen(picture.words.title(item)),
  );
  return picture.layout.scene(picture.view(new Set(groups), new Set()));
}

type Scene = ReturnType<typeof sceneWith>;

const titled = (scene: Scene, slot: number): string => picture.words.title(scene.item[slot] ?? -1);

/** "relu → dropout" for each removed edge of the scene. */
function removedEdges(scene: Scene): string[] {
  return [...removedIn(union, picture, scene).edges].map(
    (edge) =>
      `${titled(scene, scene.edgeSource[edge] ?? -1)} → ${titled(scene, scene.edgeTarget[edge] ?? -1)}`,
  );
}

describe("the removed part of a scene", () => {
  it("is the box of a removed node, and its lines", () => {
    const scene = sceneWith(() => true);
    const { boxes } = removedIn(union, picture, scene);
    expect([...boxes].map((slot) => titled(scene, slot))).toEqual(["dropout"]);
    expect(removedEdges(scene).sort()).toEqual(["dropout → neg", "relu → dropout"]);
  });

  it("does not include a line to a closed module in which another op uses the value too", () => {
    const scene = sceneWith((title) => title === "model");
    expect(removedIn(union, picture, scene).boxes.size).toBe(0);
    expect(removedEdges(scene)).toEqual([]);
  });

  it("is drawn dashed, and not as normal strokes", () => {
    const scene = sceneWith(() => true);
    const look: Look = {
      ...plainLook(picture, scene, theme, sevenWide),
      removed: (of) => ({ ...removedIn(union, picture, of), color: "#cc3366" }),
    };
    const camera = { x: 0, y: 0, zoom: 1 };
    const size = { width: scene.width, height: scene.height };
    const list = drawList(look, camera, size);
    const lines = list.filter((each): each is LinesPrimitive => each.type === "lines");
    const { edges, boxes } = removedIn(union, picture, scene);
    const values = new Set([...edges].map((edge) => scene.edgeValue[edge]));
    expect(lines.filter(({ dashed }) => dashed).flatMap(({ ids }) => ids)).toEqual([...edges]);
    const textColor = lines.filter(({ of }) => of === "strokes").flatMap(({ ids }) => ids);
    expect(textColor.some((id) => values.has(scene.strokes.value[id]))).toBe(false);
    const whole = lines.filter(({ of, dashed }) => of === "edges" && !dashed).flatMap(({ ids }) => ids);
    expect(whole.map((edge) => titled(scene, scene.edgeTarget[edge] ?? -1))).toEqual(["neg"]);
    expect(list.filter((each) => each.type === "box" && each.dashed)).toHaveLength(boxes.size);
    expect(svg(list, scene, camera, size, "#fff").match(/stroke-dasharray/g)).toHaveLength(2);
  });

  it("has the colour of its cost, also its dashed line", () => {
    const scene = sceneWith(() => true);
    const look: Look = {
      ...plainLook(picture, scene, theme, sevenWide),
      removed: (of) => ({ ...removedIn(union, picture, of), color: "#cc3366" }),
    };
    const fills = (paint: Look["paint"]): (string | undefined)[] =>
      drawList({ ...look, paint }, { x: 0, y: 0, zoom: 1 }, { width: scene.width, height: scene.height })
        .filter((each) => each.type === "box")
        .flatMap((each) => (each.dashed && each.line === "#cc3366" ? [each.fill] : []));
    expect(fills(() => "#123456")).toEqual(["#123456"]);
    expect(fills(() => undefined)).not.toContain("#123456");
  });
});
