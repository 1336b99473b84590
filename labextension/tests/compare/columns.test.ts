import { describe, expect, it } from "vitest";
import { type Columns, SIDES, type Side } from "../../src/compare";
import { everyGroup } from "../../src/explorer/open_groups";
import { columnsOf } from "./shown";

const titles = (columns: Columns, side: Side, items: Iterable<number>): string[] =>
  [...items].map((item) => columns.row.explorer(side).picture.words.title(item)).sort();

const box = (columns: Columns, side: Side, name: string): number => {
  const { snapshot, picture } = columns.row.explorer(side);
  return picture.boxOf(snapshot.find(`forward/${name}`) ?? -1);
};

/** The effects of a change come a few promises later. */
const settled = () => new Promise((done) => setTimeout(done, 20));

describe("columns", () => {
  it("opens and closes a module on both sides", async () => {
    const columns = columnsOf();
    for (const explorer of columns.explorers) await explorer.closeAll();
    await settled();
    const model = columns.row.explorer(1).picture.itemAt("forward:L__self__model") ?? -1;
    await columns.row.explorer(1).toggle(model);
    await settled();
    for (const side of SIDES)
      expect(titles(columns, side, columns.row.explorer(side).state.open)).toEqual(["model"]);
    await columns.row.explorer(1).toggle(model);
    await settled();
    expect(columns.row.explorer(0).state.open.size).toBe(0);
  });

  it("opens and closes everything in all columns, also what only one of them has", async () => {
    const columns = columnsOf();
    const opens = () => columns.explorers.map(({ state }) => state.open.size);
    await columns.arrange((one) => one.closeAll());
    await settled();
    expect(opens()).toEqual([0, 0]);
    await columns.arrange((one) => one.openAll());
    await settled();
    expect(opens()).toEqual(columns.explorers.map(({ picture }) => everyGroup(picture).size));
    expect(Math.min(...opens())).toBeGreaterThan(1);
  });

  it("selects all counterparts of a node", async () => {
    const columns = columnsOf();
    columns.lead(0);
    columns.row.explorer(0).select([box(columns, 0, "linear")]);
    expect(titles(columns, 1, columns.row.explorer(1).state.selected)).toEqual(["addmm", "permute"]);
    columns.lead(1);
    columns.row.explorer(1).select([box(columns, 1, "addmm")]);
    expect(titles(columns, 0, columns.row.explorer(0).state.selected)).toEqual(["linear"]);
    expect(columns.changes.kind(columns.state.match)).toBe("rewritten");
  });

  it("highlights the counterparts of what the pointer is on, only in the other graph", async () => {
    const columns = columnsOf();
    for (const explorer of columns.explorers) await explorer.openAll();
    await settled();
    const { scene } = columns.row.explorer(0).state;
    columns.hover(0, scene.slotOf[box(columns, 0, "linear")] ?? -1);
    const highlighted = [...columns.highlighted(1)].map(
      (slot) => columns.row.explorer(1).state.scene.item[slot] ?? -1,
    );
    expect(titles(columns, 1, highlighted)).toEqual(["addmm", "permute"]);
    expect(columns.highlighted(0).size).toBe(0);
    columns.hover(0, -1);
    expect(columns.highlighted(1).size).toBe(0);
  });

  it("steps through the changes of both sides, and wraps around", async () => {
    const columns = columnsOf();
    const seen: string[] = [];
    for (let i = 0; i < 5; i++) {
      await columns.step(1);
      seen.push(columns.changes.kind(columns.state.match));
    }
    expect(seen).toEqual(["rewritten", "changed", "removed", "added", "rewritten"]);
    await columns.step(-1);
    expect(columns.changes.kind(columns.state.match)).toBe("added");
    await columns.step(-1);
    expect(titles(columns, 0, columns.row.explorer(0).state.selected)).toEqual(["dropout"]);
    expect(columns.row.explorer(1).state.selected).toEqual([]);
    columns.store.set({ without: new Set(["removed", "added"]) });
    await columns.step(1);
    expect(columns.changes.kind(columns.state.match)).toBe("rewritten");
  });

  it("moves one camera with the other, or not", () => {
    const columns = columnsOf();
    columns.lead(0);
    const { viewportStore } = columns.row.explorer(0);
    const before = columns.row.explorer(1).viewportStore.state.camera;
    viewportStore.set({
      camera: { ...viewportStore.state.camera, y: viewportStore.state.camera.y + 40, zoom: 0.9 },
    });
    const after = columns.row.explorer(1).viewportStore.state.camera;
    expect(after.zoom).toBe(0.9);
    expect(after.y).not.toBe(before.y);
    columns.cameras.setOne(false);
    viewportStore.set({ camera: { ...viewportStore.state.camera, zoom: 0.5 } });
    expect(columns.row.explorer(1).viewportStore.state.camera.zoom).toBe(0.9);
  });

  it("leaves no listeners when disposed", () => {
    const columns = columnsOf();
    const counts = () =>
      columns.explorers.map(({ store, viewportStore }) => [store.listening, viewportStore.listening]);
    expect(
      counts()
        .flat()
        .some((count) => count > 0),
    ).toBe(true);
    columns.dispose();
    expect(counts().flat()).toEqual([0, 0, 0, 0]);
  });
});
