import { describe, expect, test } from "vitest";
import { Explorer, Marker } from "../../src/explorer";
import { neighbour } from "../../src/explorer/navigate";
import { contains } from "../../src/geometry/camera";
import { FIRST } from "../../src/picture";
import { branching, type GraphOf, sevenWide, snapshotOf, stack } from "../programs";

const screen = { width: 900, height: 700 };
const explore = (...graphs: readonly GraphOf[]): Explorer =>
  new Explorer(snapshotOf(...graphs), sevenWide, screen);

const seen = (explorer: Explorer): string[] =>
  Array.from(explorer.state.scene.item, (item) => explorer.picture.words.key(item));

const node = (explorer: Explorer, name: string): number => explorer.snapshot.find(name) ?? -1;

describe("opening and closing", () => {
  test("a toggled group stays where it is on the screen", async () => {
    const explorer = explore(stack(4));
    await explorer.closeAll();
    explorer.viewportStore.set({
      camera: explorer.viewportStore.state.target ?? explorer.viewportStore.state.camera,
      target: undefined,
    });
    const model = explorer.picture.itemAt("forward:L__self__model") ?? -1;
    const place = (): number[] => {
      const { target, camera } = explorer.viewportStore.state;
      const at = target ?? camera;
      const { x = 0, y = 0 } = explorer.rectOf(model) ?? {};
      return [Math.round((x - at.x) * at.zoom), Math.round((y - at.y) * at.zoom)];
    };
    const before = place();
    await explorer.toggle(model);
    expect(place()).toEqual(before);
    expect(explorer.state.open.has(model)).toBe(true);
  });

  test("revealing a node opens the groups around it and selects it", async () => {
    const explorer = explore(stack(6));
    await explorer.closeAll();
    await explorer.reveal(node(explorer, "linear_4"));
    expect(seen(explorer)).toContain("forward/linear_4");
    expect(explorer.state.selected).toEqual([explorer.picture.boxOf(node(explorer, "linear_4"))]);
  });

  test("a folded parameter is shown where it is used", async () => {
    const explorer = explore(stack(6));
    await explorer.reveal(node(explorer, "p_2"));
    expect(explorer.state.selected).toEqual([explorer.picture.boxOf(node(explorer, "linear_2"))]);
  });

  test("nodes of branches are revealed inside the op that runs them", async () => {
    const explorer = explore(...branching());
    await explorer.closeAll();
    await explorer.reveal(node(explorer, "forward/false_graph/cos"));
    expect(seen(explorer)).toContain("forward/false_graph/cos");
  });

  test("of two changes the later one wins", async () => {
    const explorer = explore(stack(300));
    await Promise.all([explorer.openAll(), explorer.closeAll()]);
    expect(explorer.state.open.size).toBe(0);
    expect(explorer.state.isBusy).toBe(false);
    explorer.dispose();
  });

  test("unfolding parameters keeps what is open and selected", async () => {
    const explorer = explore(stack(3));
    await explorer.reveal(node(explorer, "linear_1"));
    const open = explorer.state.open.size;
    await explorer.setFolded(false);
    expect(seen(explorer)).toContain("forward/p_1");
    expect(explorer.state.open.size).toBe(open);
    expect(explorer.picture.words.key(explorer.state.selected[0] ?? -1)).toBe("forward/linear_1");
  });
});

describe("views", () => {
  test("a view restores what was open, selected and visible", async () => {
    const explorer = explore(stack(6));
    await explorer.reveal(node(explorer, "linear_4"));
    explorer.setFocus({ direction: "ancestors", steps: 3 });
    const view = explorer.view();
    const other = explore(stack(6));
    await other.show(view);
    expect(other.view()).toEqual(view);
    expect(seen(other)).toEqual(seen(explorer));
  });

  test("back and forward return to the previous view", async () => {
    const explorer = explore(stack(6));
    await explorer.reveal(node(explorer, "linear_1"));
    await explorer.reveal(node(explorer, "linear_4"));
    const at = (): string => explorer.picture.words.key(explorer.state.selected[0] ?? -1);
    await explorer.history.goBack();
    expect(at()).toBe("forward/linear_1");
    await explorer.history.goForward();
    expect(at()).toBe("forward/linear_4");
    expect(explorer.state.canGoForward).toBe(false);
  });
});

describe("search", () => {
  test("finds, counts and steps, wrapping around", async () => {
    const explorer = explore(stack(3));
    await explorer.search.ask("op:relu");
    expect(explorer.state.results.nodes).toHaveLength(3);
    for (const expected of ["relu_0", "relu_1", "relu_2", "relu_0"]) {
      await explorer.search.step(1);
      expect(explorer.snapshot.name(explorer.selectedNodes()[0] ?? -1)).toBe(expected);
    }
  });

  test("a result in a closed module marks the module", async () => {
    const explorer = explore(stack(3));
    await explorer.closeAll();
    await explorer.search.ask("op:relu");
    const { matches } = new Marker().marks(explorer.state, -1);
    const slot = explorer.state.scene.slotOf[explorer.picture.itemAt("forward:L__self__model") ?? -1] ?? -1;
    expect(matches?.[slot]).toBe(1);
    expect(matches?.reduce((sum, each) => sum + each, 0)).toBe(1);
  });
});

describe("highlights", () => {
  const highlighted = (explorer: Explorer): string[] => {
    const { bright } = new Marker().marks(explorer.state, -1);
    return seen(explorer).filter(
      (_, slot) => bright?.[slot] && !explorer.picture.isGroup(explorer.state.scene.item[slot] ?? 0),
    );
  };

  test("ancestors and descendants, up to a number of steps", async () => {
    const explorer = explore(stack(3));
    await explorer.openAll();
    await explorer.reveal(node(explorer, "linear_1"));
    explorer.setFocus({ direction: "ancestors", steps: 1 });
    expect(highlighted(explorer)).toEqual(expect.arrayContaining(["forward/linear_1", "forward/relu_0"]));
    expect(highlighted(explorer)).not.toContain("forward/linear_0");
    explorer.setFocus({ direction: "descendants", steps: Number.POSITIVE_INFINITY });
    expect(highlighted(explorer)).toContain("forward/output");
    expect(highlighted(explorer)).not.toContain("forward/relu_0");
  });

  test("all paths between two, whichever was selected first", async () => {
    const explorer = explore(stack(3));
    await explorer.openAll();
    const boxes = ["relu_2", "linear_1"].map((name) => explorer.picture.boxOf(node(explorer, name)));
    explorer.select(boxes);
    explorer.setFocus({ direction: "between", steps: Number.POSITIVE_INFINITY });
    expect(highlighted(explorer).sort()).toEqual([
      "forward/linear_1",
      "forward/linear_2",
      "forward/relu_1",
      "forward/relu_2",
    ]);
  });
});

test("arrows follow edges down and up again", async () => {
  const explorer = explore(stack(1));
  await explorer.openAll();
  const { scene } = explorer.state;
  const slot = scene.slotOf[explorer.picture.boxOf(node(explorer, "linear_0"))] ?? -1;
  const down = neighbour(scene, slot, "down");
  expect(explorer.picture.words.key(scene.item[down] ?? -1)).toBe("forward/relu_0");
  expect(neighbour(scene, down, "up")).toBe(slot);
  expect(neighbour(scene, -1, "down")).toBe(0);
});

test("when the screen's top moves down, the picture and the camera's target stay in place on the page", () => {
  const explorer = explore(stack(2));
  explorer.viewportStore.set({ camera: { x: 5, y: 10, zoom: 0.5 }, target: { x: 0, y: 40, zoom: 2 } });
  explorer.viewport.shifted(30);
  expect(explorer.viewportStore.state.camera).toEqual({ x: 5, y: 70, zoom: 0.5 });
  expect(explorer.viewportStore.state.target).toEqual({ x: 0, y: 55, zoom: 2 });
});

test("a temporary row above the picture does not change the first camera", () => {
  const explorer = explore(stack(2));
  const { camera: first, screen } = explorer.viewportStore.state;
  const low = { ...screen, height: screen.height - 44 };
  explorer.viewport.shifted(44);
  explorer.viewport.resized(low);
  const { camera } = explorer.viewportStore.state;
  expect(camera.zoom).toBe(first.zoom);
  expect(camera.y * camera.zoom).toBeCloseTo(first.y * first.zoom + 44);
  explorer.viewport.shifted(-44);
  explorer.viewport.resized(screen);
  expect(explorer.viewportStore.state.camera).toEqual(first);
  explorer.viewport.resized({ width: 300, height: 200 });
  expect(explorer.viewportStore.state.camera).not.toEqual(first);
});

describe("a screen that becomes narrower", () => {
  const narrow = { ...screen, width: 300 };
  const isSeen = (explorer: Explorer, item: number): boolean => {
    const { camera, screen } = explorer.viewportStore.state;
    const rect = explorer.rectOf(item);
    return rect !== undefined && contains(camera, screen, rect);
  };

  test("begins with its first box, at the largest readable zoom", () => {
    const explorer = explore(stack(2));
    explorer.viewport.resized(narrow);
    const { camera } = explorer.viewportStore.state;
    const { width } = explorer.state.scene;
    expect(width * camera.zoom).toBeGreaterThan(narrow.width);
    expect(camera.zoom).toBe(FIRST.zoom);
    expect(isSeen(explorer, 0)).toBe(true);
  });

  test("keeps the selection visible with the least move, and restores the camera", async () => {
    const explorer = explore(stack(2));
    await explorer.openAll();
    const item = explorer.picture.boxOf(node(explorer, "linear_1"));
    const rect = explorer.rectOf(item);
    if (!rect) throw new Error("It is not shown.");
    const camera = { x: rect.x - 700, y: rect.y - 200, zoom: 1 }; // at the right of the screen
    explorer.select([item]);
    explorer.viewportStore.set({ camera, target: undefined });
    explorer.viewport.resized(narrow);
    expect(isSeen(explorer, item)).toBe(true);
    expect(explorer.viewportStore.state.camera).toMatchObject({ y: camera.y, zoom: 1 });
    explorer.viewport.resized({ ...narrow, width: 400 });
    explorer.viewport.resized(screen);
    expect(explorer.viewportStore.state.camera).toEqual(camera);
  });

  test("shows all if all was visible, and does not move a part that was visible", async () => {
    const explorer = explore(stack(2));
    await explorer.openAll();
    const { width, height } = explorer.state.scene;
    const zoom = 0.5 * Math.min(screen.width / width, screen.height / height);
    explorer.viewportStore.set({
      camera: { x: -screen.width / zoom + width + 20, y: -20, zoom },
      target: undefined,
    });
    explorer.viewport.resized(narrow);
    expect(contains(explorer.viewportStore.state.camera, narrow, { x: 0, y: 0, width, height })).toBe(true);
    const near = { x: width / 2, y: height / 2, zoom: 2 };
    explorer.viewportStore.set({ camera: near, target: undefined });
    explorer.viewport.resized({ ...narrow, width: 250 });
    expect(explorer.viewportStore.state.camera).toEqual(near);
  });
});
