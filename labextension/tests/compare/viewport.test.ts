// @vitest-environment happy-dom
/** The selection stays visible, whatever is opened. */
import { describe, expect, it } from "vitest";
import type { Columns } from "../../src/compare";
import { sceneRect } from "../../src/explorer";
import { rectIn } from "../../src/explorer/camera_follow";
import { contains, type Rect, toScreen } from "../../src/geometry/camera";
import { columnsOf, press } from "./shown";

/** Lower than the pictures, as for reading. */
const LOW = { width: 400, height: 200 };

const settled = () => new Promise((done) => setTimeout(done, 20));

function rectOf(columns: Columns, column: number, key: string): Rect {
  const { picture, state } = columns.row.explorer(column);
  const rect = rectIn(state.scene, picture.itemAt(key) ?? -1);
  if (!rect) throw new Error(`${key} is not shown in column ${column}.`);
  return rect;
}

describe("side by side", () => {
  it("a selected change stays visible when all is opened", async () => {
    const columns = columnsOf(LOW);
    await columns.step(-1);
    await columns.arrange((explorer) => explorer.openAll());
    expect(columns.state.match).toBe(5);
    const { picture, state, snapshot } = columns.row.explorer(1);
    const box = rectIn(state.scene, picture.boxOf(snapshot.find("forward/clone") ?? -1));
    if (!box) throw new Error("All is open.");
    expect(contains(columns.cameras.cameraOf(1), LOW, box)).toBe(true);
  });

  it("a change in the first rows has no unnecessary empty space above it", async () => {
    const columns = columnsOf({ width: 400, height: 400 });
    for (const explorer of columns.explorers) await explorer.openAll();
    await settled();
    await columns.step(1);
    for (const column of columns.row.columns) {
      const { scene } = columns.row.explorer(column).state;
      const { y } = toScreen(columns.cameras.cameraOf(column), sceneRect(scene));
      expect(scene.height * columns.cameras.cameraOf(column).zoom).toBeGreaterThan(400);
      expect(y).toBeLessThanOrEqual(40);
    }
  });

  it("the content of a module is visible when a key opens it, the headers at one height", async () => {
    const columns = columnsOf(LOW);
    const key = "forward:L__self__model.second";
    for (const explorer of columns.explorers) {
      const { picture } = explorer;
      await explorer.arrange(
        { open: new Set([picture.itemAt("forward:L__self__model") ?? -1]) },
        { how: "fit" },
      );
    }
    await settled();
    const explorer = columns.row.explorer(1);
    columns.lead(1);
    explorer.select([explorer.picture.itemAt(key) ?? -1]);
    const closed = rectOf(columns, 1, key);
    explorer.viewportStore.set({
      camera: { zoom: 1, x: closed.x - 60, y: closed.y - 150 },
      target: undefined,
    });
    press(columns, "Enter");
    await settled();
    const [camera, rect] = [columns.cameras.cameraOf(1), rectOf(columns, 1, key)];
    expect(rect.height).toBeGreaterThan(closed.height);
    expect(toScreen(camera, rect).y).toBeCloseTo(60, 3);
    const other = toScreen(columns.cameras.cameraOf(0), rectOf(columns, 0, key));
    expect(other.y).toBeCloseTo(60, 3);
    expect(other.x).toBeGreaterThanOrEqual(0);
  });
});
