// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { type Columns, SIDES } from "../../src/compare";
import { columnsOf, press } from "./shown";

async function hidden(): Promise<Columns> {
  const shown = columnsOf();
  const open = (side: 0 | 1): Set<number> => {
    const { picture } = shown.row.explorer(side);
    const groups = ["model", "model.first", "model.second"];
    return new Set(groups.map((path) => picture.itemAt(`forward:L__self__${path}`) ?? -1));
  };
  for (const side of SIDES) await shown.row.explorer(side).arrange({ open: open(side) }, { how: "fit" });
  await shown.hideSame(true);
  return shown;
}

/** What each column shows: names of boxes, and the content of hidden runs. */
const seen = (columns: Columns): string[][] =>
  columns.explorers.map(({ state: { scene, stretches, picture } }) =>
    Array.from(scene.item, (item) => {
      const stretch = stretches.get(item);
      return stretch
        ? `· ${stretch.items.map((each) => picture.words.title(each)).join(" ")} ${stretch.count} ·`
        : picture.words.title(item);
    }),
  );

describe("unchanged nodes", () => {
  it("are one small box between changes, the same box in each column", async () => {
    const columns = await hidden();
    expect(seen(columns)).toEqual([
      [
        "· x 1 ·",
        "model",
        "· output 1 ·",
        "first",
        "second",
        "· third 1 ·",
        "linear",
        "relu",
        "dropout",
        "· neg 1 ·",
      ],
      [
        "· x 1 ·",
        "model",
        "· output 1 ·",
        "first",
        "second",
        "· third 1 ·",
        "permute",
        "addmm",
        "relu",
        "· neg 1 ·",
        "clone",
      ],
    ]);
  });

  it("do not include changes, and have their own boxes when all is shown", async () => {
    const columns = await hidden();
    for (const explorer of columns.explorers) await explorer.closeAll();
    const { picture } = columns.row.explorer(0);
    const model = picture.itemAt("forward:L__self__model") ?? -1;
    expect(columns.row.explorer(0).state.stretches.has(model)).toBe(false);
    await columns.hideSame(false);
    expect(columns.explorers.map(({ state }) => state.stretches.size)).toEqual([0, 0]);
  });

  it("are shown in all columns when one is opened, and hidden when all is hidden again", async () => {
    const columns = await hidden();
    const { state, picture, snapshot } = columns.row.explorer(1);
    const neg = picture.boxOf(snapshot.find("forward/neg") ?? -1);
    expect(state.stretches.has(neg)).toBe(true);
    await columns.row.explorer(1).unstretch(neg);
    await new Promise((done) => setTimeout(done, 20));
    for (const boxes of seen(columns)) {
      expect(boxes).toContain("neg");
      expect(boxes).toContain("· third 1 ·");
    }
    await columns.hideSame(true);
    for (const boxes of seen(columns)) expect(boxes).toContain("· neg 1 ·");
  });

  it.each(["Enter", "Shift+Enter"])("are shown by %s if selected, and stay closed", async (key) => {
    const columns = await hidden();
    const { picture } = columns.row.explorer(1);
    const third = picture.itemAt("forward:L__self__model.third") ?? -1;
    columns.row.explorer(1).select([third]);
    press(columns, key.replace("Shift+", ""), key.startsWith("Shift"));
    await new Promise((done) => setTimeout(done, 20));
    for (const boxes of seen(columns)) {
      expect(boxes).toContain("third");
      expect(boxes).not.toContain("sin");
    }
    press(columns, "Enter");
    await new Promise((done) => setTimeout(done, 20));
    for (const boxes of seen(columns)) expect(boxes.join()).toContain("sin");
  });

  it("are shown when a panel or a search leads to them", async () => {
    const columns = await hidden();
    const explorer = columns.row.explorer(0);
    const sin = explorer.snapshot.find("forward/sin") ?? -1;
    await explorer.reveal(sin);
    expect(seen(columns)[0]).toEqual(expect.arrayContaining(["third", "sin"]));
    await explorer.reveal(explorer.snapshot.find("forward/x") ?? -1);
    expect(seen(columns)[0]).toContain("x");
  });
});
