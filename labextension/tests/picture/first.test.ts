/** The first frame of every program of the corpus: its text, its size, and its share of the screen. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SMALLEST_TEXT } from "../../src/canvas/detail_level";
import { drawList } from "../../src/canvas/drawlist";
import { plainLook } from "../../src/canvas/look";
import { titleOf } from "../../src/canvas/module_headers";
import type { TextPrimitive } from "../../src/canvas/primitives";
import { fontSize } from "../../src/canvas/theme";
import { Explorer } from "../../src/explorer";
import { Kind } from "../../src/layout";
import type { TextRole } from "../../src/picture";
import { theme } from "../canvas/theme";
import { folder, readCorpus } from "../snapshots";
import { DELEGATED, snapshotAt } from "../stages/staged";

/** About as wide as in the canvas's fonts. */
const measure = (text: string, role: TextRole): number =>
  text.length * fontSize(role) * (role === "value" || role === "chip" || role === "label" ? 0.6 : 0.54);

/** Of a cell of 1400 × 600, and of 700 × 500, where the panel is closed: without the bar, the toolbar and the legend. */
const SCREENS = [
  { width: 1050, height: 488 },
  { width: 700, height: 386 },
];

const STAGES = ["edge", "xnnpack", "executorch"] as const;

/** Pixels in view of a box that is cut by the view's right edge: with more, it has a count beside its name. */
const ENOUGH = 200;

const sizeOf = ({ font }: TextPrimitive): number => Number(/([\d.]+)px/.exec(font)?.[1]);

function check(explorer: Explorer, screen: { width: number; height: number }): void {
  const { picture, scene } = explorer.state;
  const camera = explorer.viewportStore.state.target ?? explorer.viewportStore.state.camera;
  const list = drawList(plainLook(picture, scene, theme, measure), camera, screen);
  const texts = list.filter((each) => each.type === "text");
  expect(Math.min(...texts.map(sizeOf))).toBeGreaterThanOrEqual(SMALLEST_TEXT - 1e-9);
  const look = plainLook(picture, scene, theme, measure);
  scene.item.forEach((item, slot) => {
    if (scene.kind[slot] === Kind.Leaf) return;
    const [x = 0, y = 0, width = 0, height = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
    const left = (x - camera.x) * camera.zoom;
    const top = (y - camera.y) * camera.zoom;
    const right = left + width * camera.zoom;
    const high = (scene.kind[slot] === Kind.Open ? 32 : height) * camera.zoom;
    if (top < 0 || top + high > screen.height || left > screen.width || right < 0) return;
    const evidenceText = texts
      .filter((each) => each.y > top && each.y < top + high && each.x >= left && each.x <= right)
      .filter((each) => each.x < screen.width)
      .map(({ text }) => text);
    const title = titleOf(look, slot);
    const start = title.slice(0, 3);
    expect(
      evidenceText.some((text) => text.startsWith(start)),
      title,
    ).toBe(true);
    // Cut by the view's edge, a box has its name there; the rest only as far as there is room.
    if (left < 0 || screen.width - left < ENOUGH) return;
    const counts = [picture.words.subtitle(item), ...picture.words.badges(item)];
    expect(
      evidenceText.some((text) => counts.includes(text) || /^×\d+$/.test(text)),
      `${title}: ${evidenceText}`,
    ).toBe(true);
  });
  expect(cutOnTheLeft(explorer, screen)).toEqual([]);
  const used = (length: number, of: number): number => Math.min(1, (length * camera.zoom) / of);
  const most = Math.max(used(scene.width, screen.width), used(scene.height, screen.height));
  expect(most).toBeGreaterThanOrEqual(0.6);
}

/** How many boxes of delegates are all in view. */
function delegatesInView(explorer: Explorer, { width, height }: { width: number; height: number }): number {
  const { picture, scene } = explorer.state;
  const camera = explorer.viewportStore.state.target ?? explorer.viewportStore.state.camera;
  return Array.from(scene.item.entries()).filter(([slot, item]) => {
    const [x = 0, y = 0, across = 0, tall = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
    const isRight = x >= camera.x && x + across <= camera.x + width / camera.zoom;
    const isBelow = y >= camera.y && y + tall <= camera.y + height / camera.zoom;
    return picture.words.delegateOf(item) !== undefined && isRight && isBelow;
  }).length;
}

/** The titles of boxes in view whose left part is not. */
function cutOnTheLeft(explorer: Explorer, { height }: { height: number }): string[] {
  const { picture, scene } = explorer.state;
  const { camera } = explorer.viewportStore.state;
  return Array.from(scene.item.entries())
    .filter(([slot]) => {
      const [x = 0, y = 0, , tall = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
      return x < camera.x && y + tall > camera.y && y < camera.y + height / camera.zoom;
    })
    .map(([, item]) => picture.words.title(item));
}

const names = readdirSync(folder)
  .filter((name) => name.endsWith(".exirviz"))
  .map((name) => name.slice(0, -".exirviz".length));

/** Files of transformers, too wide for a screen op by op. */
const FLAT = ["llama2.pte", "llama2dynamic.pte", "qwen2.pte", "whisper2.pte"];

test("the corpus exists", () => expect(names.length).toBeGreaterThan(8));

describe.each(SCREENS)("on $width × $height", (screen) => {
  test.each(names)("%s", async (name) => {
    const snapshot = await readCorpus(name);
    await snapshot.detail();
    const explorer = new Explorer(snapshot, measure, screen);
    check(explorer, screen);
  });

  test("the top of a `.pte` without modules is groups", async () => {
    for (const name of FLAT) {
      const { scene } = new Explorer(await readCorpus(name), measure, screen).state;
      expect(scene.kind.filter((kind) => kind === Kind.Closed).length, name).toBeGreaterThan(1);
      expect(scene.item.length, name).toBeLessThan(20);
    }
  });

  test.each(DELEGATED.flatMap((name) => STAGES.map((stage) => [name, stage] as const)))(
    "%s at %s, by module and by delegate",
    async (name, stage) => {
      const snapshot = await snapshotAt(name, stage);
      await snapshot.detail();
      for (const delegates of [false, true]) {
        const explorer = new Explorer(snapshot, measure, screen);
        if (delegates) await explorer.setByDelegate(true);
        check(explorer, screen);
        if (delegates && stage !== "edge") expect(delegatesInView(explorer, screen)).toBeGreaterThan(0);
      }
    },
  );

  test("the module with most of a delegated program is open", async () => {
    expect(await openIn(screen)).toContain("model");
  });
});

/** The titles of the modules that are open when a delegated Llama is first shown. */
async function openIn(screen: { width: number; height: number }): Promise<string[]> {
  const { picture, open } = new Explorer(await snapshotAt("llama2", "xnnpack"), measure, screen).state;
  return [...open].map((item) => picture.words.title(item));
}

// Windows of 760 × 600 and 900 × 700 with the panel beside the picture, and of 600 × 600 without.
test.each([
  { width: 410, height: 486 },
  { width: 550, height: 586 },
  { width: 600, height: 486 },
])("the module with most of a program is open on $width × $height, too", async (screen) =>
  expect(await openIn(screen)).toContain("model"),
);

describe("in a window of 1280 × 800, with the panel open", () => {
  const screen = { width: 930, height: 687 };

  test.each(DELEGATED.flatMap((name) => STAGES.map((stage) => [name, stage] as const)))(
    "%s at %s is in the first frame from left to right",
    async (name, stage) => {
      const snapshot = await snapshotAt(name, stage);
      await snapshot.detail();
      const explorer = new Explorer(snapshot, measure, screen);
      check(explorer, screen);
      // Its length of any size is one more value that most boxes read: only their texts are all in view.
      if (name === "llama2dynamic") return;
      const { camera } = explorer.viewportStore.state;
      const { scene } = explorer.state;
      expect(camera.x).toBeLessThanOrEqual(0);
      expect((scene.width - camera.x) * camera.zoom).toBeLessThanOrEqual(screen.width);
    },
  );

  test("badges of an open module that continues beside the view are in view", async () => {
    const explorer = new Explorer(await snapshotAt("llama2", "xnnpack"), measure, screen);
    const { picture, scene } = explorer.state;
    const item = Array.from(scene.item).find((each) => picture.words.title(each) === "model") ?? -1;
    const [badge = ""] = picture.words.badges(item);
    const narrow = { width: scene.width / 2, height: 600 };
    const list = drawList(plainLook(picture, scene, theme, measure), { x: 0, y: 0, zoom: 1 }, narrow);
    const shown = list.filter((each) => each.type === "text" && each.text === badge);
    expect(shown.map((each) => "x" in each && each.x > 0 && each.x < narrow.width)).toEqual([true]);
  });
});
