import { describe, expect, it } from "vitest";
import type { Columns } from "../../src/compare";
import { strengthOf } from "../../src/compare/camera/camera_sync";
import { type Camera, toScreen } from "../../src/geometry/camera";
import type { GraphOf } from "../programs";
import { matched } from "./matched";
import { columnsOf } from "./shown";

const SCREEN = { width: 500, height: 300 };

const cameraOf = (columns: Columns, column: number): Camera => columns.cameras.cameraOf(column);

/** The vertical position of a node's box on its screen. */
function heightOf(columns: Columns, column: number, name: string): number {
  const { snapshot, picture, state } = columns.row.explorer(column);
  const slot = state.scene.slotOf[picture.boxOf(snapshot.find(`forward/${name}`) ?? -1)] ?? -1;
  const [x = Number.NaN, y = Number.NaN] = state.scene.rect.subarray(4 * slot, 4 * slot + 2);
  return toScreen(cameraOf(columns, column), { x, y }).y;
}

async function allOpen(): Promise<Columns> {
  const columns = columnsOf(SCREEN);
  for (const explorer of columns.explorers) await explorer.openAll();
  await new Promise((done) => setTimeout(done, 20));
  return columns;
}

describe("aligned columns", () => {
  it("have the first common change at one height, and everything in view", async () => {
    const columns = await allOpen();
    columns.fit();
    const [before, after] = [heightOf(columns, 0, "linear"), heightOf(columns, 1, "permute")];
    expect(before).toBeCloseTo(after, 6);
    for (const [column, { state }] of columns.explorers.entries()) {
      const camera = cameraOf(columns, column);
      expect(toScreen(camera, { x: 0, y: 0 }).y).toBeGreaterThanOrEqual(0);
      expect(toScreen(camera, { x: 0, y: state.scene.height }).y).toBeLessThanOrEqual(SCREEN.height);
    }
  });

  it("are fitted as a whole on any screen, until the user moves one", async () => {
    const columns = await allOpen();
    const seen = (column: number): Camera => {
      const { viewportStore, state } = columns.row.explorer(column);
      const camera = cameraOf(columns, column);
      const [from, to] = [
        toScreen(camera, { x: 0, y: 0 }),
        toScreen(camera, { x: state.scene.width, y: state.scene.height }),
      ];
      expect(Math.min(from.x, from.y)).toBeGreaterThanOrEqual(0);
      expect(to.x).toBeLessThanOrEqual(viewportStore.state.screen.width);
      expect(to.y).toBeLessThanOrEqual(viewportStore.state.screen.height);
      return camera;
    };
    const resize = (width: number, height: number): void => {
      for (const { viewportStore } of columns.explorers) viewportStore.set({ screen: { width, height } });
    };
    resize(120, 100);
    columns.fit();
    expect(seen(0).zoom).toBeLessThan(0.36);
    resize(100, 80);
    const { zoom } = seen(0);
    seen(1);
    columns.lead(0);
    resize(60, 50);
    expect(cameraOf(columns, 0).zoom).toBe(zoom);
  });

  it("keep a picture visible that has nothing in common with the one that moves", () => {
    const one = (name: string): GraphOf => ({ name: "forward", nodes: [{ name, op: "placeholder" }] });
    const apart = matched(
      [one("x")],
      [one("y")],
      [
        ["removed", ["forward/x"], []],
        ["added", [], ["forward/y"]],
      ],
    );
    const columns = columnsOf(SCREEN, apart);
    columns.lead(1);
    const { viewportStore } = columns.row.explorer(1);
    viewportStore.set({ camera: { x: 4000, y: -3000, zoom: 1 } });
    const { scene } = columns.row.explorer(0).state;
    const camera = cameraOf(columns, 0);
    const [from, to] = [
      toScreen(camera, { x: 0, y: 0 }),
      toScreen(camera, { x: scene.width, y: scene.height }),
    ];
    expect(to.x).toBeGreaterThan(0);
    expect(from.x).toBeLessThan(SCREEN.width);
    expect(to.y).toBeGreaterThan(0);
    expect(from.y).toBeLessThan(SCREEN.height);
  });

  it("keep the selection at one height instead", async () => {
    const columns = await allOpen();
    columns.lead(1);
    const { picture, snapshot } = columns.row.explorer(1);
    columns.row.explorer(1).select([picture.boxOf(snapshot.find("forward/sin") ?? -1)]);
    columns.fit();
    expect(heightOf(columns, 0, "sin")).toBeCloseTo(heightOf(columns, 1, "sin"), 6);
  });

  it("continue from their positions and do not jump", async () => {
    const columns = await allOpen();
    columns.fit();
    for (const { viewportStore } of columns.explorers) {
      const { target, camera } = viewportStore.state;
      viewportStore.set({ camera: target ?? camera, target: undefined });
    }
    columns.lead(1);
    const { viewportStore } = columns.row.explorer(1);
    const start = viewportStore.state.camera;
    let before = columns.row.explorer(0).viewportStore.state.camera;
    const step = 2 / start.zoom;
    for (let i = 1; i <= 600; i++) {
      viewportStore.set({ camera: { ...start, y: start.y + i * step } });
      const now = columns.row.explorer(0).viewportStore.state.camera;
      expect(Math.abs(now.y - before.y)).toBeLessThan(12 * step);
      expect(Math.abs(now.x - before.x)).toBeLessThan(12 * step);
      before = now;
    }
  });
});

describe("the anchor", () => {
  it("is released gradually beyond the edge of the screen", () => {
    const camera = { x: 0, y: 0, zoom: 2 };
    const strength = (y: number): number => strengthOf(camera, SCREEN, { x: 10, y });
    expect([0, 100, 149].map(strength)).toEqual([1, 1, 1]);
    expect(strength(-500)).toBe(0);
    expect(strength(500)).toBe(0);
    for (let y = -200; y < 400; y++) expect(Math.abs(strength(y + 1) - strength(y))).toBeLessThan(0.03);
  });
});
