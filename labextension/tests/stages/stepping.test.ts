import { describe, expect, test, vi } from "vitest";
import { Explorer } from "../../src/explorer";
import { StageScrub } from "../../src/explorer/stage_scrub";
import { selectionChangeText } from "../../src/explorer/stepping";
import { measureOf } from "../../src/frame/costs";
import { type LayoutRequest, type LayoutResponse, LayoutServer, type View } from "../../src/layout";
import { lineThrough, type StageActions, Stages } from "../../src/stages";
import { recordOf } from "../profile/records";
import { sevenWide } from "../programs";
import { here, stillness } from "./stability";
import { hasStages, stagedProgram } from "./staged";

const SCREEN = { width: 1000, height: 800 };
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };

async function explore(name: string) {
  const source = stagedProgram(name);
  const all = new Stages(source);
  const snapshot = await all.snapshot("s0");
  const explorer = new Explorer(snapshot, sevenWide, SCREEN, undefined, { all, at: "s0" });
  const id = (called: string): string =>
    source.state.tree.stages.find((stage) => stage.name === called)?.id ?? "";
  const go = async (called: string): Promise<void> => explorer.stepping?.go(id(called));
  const named = (name: string): number => explorer.snapshot.find(name) ?? -1;
  const selected = (): string[] => explorer.selectedNodes().map((node) => explorer.snapshot.name(node));
  return { explorer, source, go, named, selected };
}

/** The titles of boxes that are at least partly visible. */
function inSight({ viewportStore, state, picture }: Explorer): string[] {
  const { camera: now, target = now, screen } = viewportStore.state;
  const { x, y, zoom } = target;
  return [...state.scene.item].flatMap((item, slot) => {
    const [left = 0, top = 0, width = 0, height = 0] = state.scene.rect.subarray(4 * slot, 4 * slot + 4);
    const isThere = left + width > x && left < x + screen.width / zoom;
    const isSeen = isThere && top + height > y && top < y + screen.height / zoom;
    return isSeen ? [picture.words.title(item)] : [];
  });
}

/** A worker in this process, for the next explorer; its open programs, and what it laid out. */
function watchedWorker(): { open: ReadonlySet<number>; views: readonly View[] } {
  const open = new Set<number>();
  const views: View[] = [];
  class Watched {
    onmessage: (event: { data: LayoutResponse }) => void = () => undefined;
    private readonly server = new LayoutServer((data) => this.onmessage({ data }));
    postMessage(request: LayoutRequest): void {
      if (request.kind === "open") open.add(request.program);
      if (request.kind === "close") open.delete(request.program);
      if (request.kind === "layout") views.push(request.view);
      void this.server.receive(request);
    }
    terminate(): void {
      open.clear();
    }
  }
  vi.stubGlobal("Worker", Watched);
  return { open, views };
}

describe.runIf(hasStages("resnet11"))("a measurement", () => {
  const OPTIONS = { executor: "cpu", threads: 1 } as const;

  async function profiled(isElsewhere: boolean, problem?: Error) {
    const { explorer, source, go } = await explore("resnet11");
    const before = explorer.stepping?.shownId() ?? "";
    const profile = async (stage: string): Promise<void> => {
      if (isElsewhere) await go("edge");
      if (problem) throw problem;
      explorer.costs.take([[stage, recordOf(explorer.snapshot)]]);
    };
    source.actions = { profile } as unknown as StageActions;
    const measure = measureOf(explorer);
    if (typeof measure === "string") throw new Error(measure);
    await measure.start(OPTIONS);
    return { explorer, before };
  }

  test("of a stage that was loaded cannot be started, and says why", async () => {
    const { explorer, source } = await explore("resnet11");
    Object.assign(source, { actions: {} });
    const record = explorer.stepping?.stages.record("s0");
    Object.assign(record ?? {}, { state: "loaded" });
    expect(measureOf(explorer)).toContain("without a live program");
    explorer.dispose();
  });

  test("shows its profile if the stage is still shown", async () => {
    const { explorer, before } = await profiled(false);
    expect(explorer.stepping?.shownId()).toBe(before);
    expect([explorer.state.tab, explorer.state.overlay.name]).toEqual(["cost", "cost:time"]);
  });

  test("leaves the stage that the user went to meanwhile, and says that the profile is there", async () => {
    const { explorer, before } = await profiled(true);
    expect(explorer.stepping?.shownId()).not.toBe(before);
    expect(explorer.state.overlay.name).toBe("kind");
    expect(explorer.state.notice).toMatch(/^Profile of .+ is ready$/);
    expect(explorer.costs.store.state.records.has(before)).toBe(true);
  });

  test("that failed while another stage was shown says so there", async () => {
    const { explorer, before } = await profiled(true, new Error("no inputs"));
    expect(explorer.stepping?.shownId()).not.toBe(before);
    expect(explorer.state.notice).toMatch(/^Profiling .+ failed/);
  });
});

const STAGED = ["bert", "resnet50"].filter(hasStages);

test.each([
  [1, 1, ""],
  [1, 0, "1 selected node has no counterpart in core"],
  [3, 0, "3 selected nodes have no counterpart in core"],
  [3, 1, "3 selected nodes became 1 in core"],
  [1, 29, "1 selected node became 29 in core: all are selected"],
])("the change from %i selected nodes to %i is reported: %s", (before, after, evidenceText) => {
  expect(selectionChangeText(before, after, "core")).toBe(evidenceText);
});

describe.each(STAGED)("the picture of %s", (name) => {
  test("keeps order and position from stage to stage, all open", async () => {
    const { explorer, go } = await explore(name);
    await explorer.openAll();
    for (const stage of ["core", "edge", "core", "exported"]) {
      const before = here(explorer);
      await go(stage);
      const { persistent, boxes, median, ...pairs } = stillness(explorer, before);
      const { besides, kept, stacked, keptStacked } = pairs;
      expect(kept / besides).toBeGreaterThan(0.98);
      expect(keptStacked / stacked).toBeGreaterThan(0.94);
      expect(median).toBeLessThan(0.05 * SCREEN.width);
      expect(persistent / Math.min(boxes, before.scene.item.length)).toBeGreaterThan(0.7);
    }
    explorer.dispose();
  });

  test("returns to the same scene", async () => {
    const { explorer, go } = await explore(name);
    await explorer.openAll();
    const { scene } = explorer.state;
    for (const stage of ["core", "edge", "exported"]) await go(stage);
    expect(explorer.state.scene.rect).toEqual(scene.rect);
    explorer.dispose();
  });

  test("an open module stays open, and one that was never open stays closed", async () => {
    const { explorer, go } = await explore(name);
    const titles = (): string[] =>
      [...explorer.state.open].map((item) => explorer.picture.words.title(item)).sort();
    const before = titles().filter((title) => !title.startsWith("_"));
    await go("edge");
    expect(titles()).toEqual(before);
    explorer.dispose();
  });

  test("the selection stays in place on the screen", async () => {
    const { explorer, go, named } = await explore(name);
    const first = name === "bert" ? "linear_3" : "conv2d_7";
    await explorer.reveal(named(first));
    const middle = (): number[] => {
      const item = explorer.state.selected.find((each) => explorer.rectOf(each)) ?? -1;
      const { x = 0, y = 0, width = 0 } = explorer.rectOf(item) ?? {};
      const camera = explorer.viewportStore.state.target ?? explorer.viewportStore.state.camera;
      return [(x + width / 2 - camera.x) * camera.zoom, (y - camera.y) * camera.zoom].map(Math.round);
    };
    for (const stage of ["core", "edge", "exported"]) {
      const before = middle();
      await go(stage);
      expect(middle()).toEqual(before);
    }
    explorer.dispose();
  });
});

describe("the state that is kept from stage to stage", () => {
  test("the selection: descendants forward, ancestors back, and no more than before", async () => {
    const { go, explorer, named, selected } = await explore("bert");
    explorer.select([explorer.boxShowing(named("linear_3"))]);
    await go("core");
    expect(selected().sort()).toEqual(["addmm_3", "permute_10", "view_17", "view_18"]);
    expect(explorer.state.notice).toBe("1 selected node became 4 in core: all are selected");
    explorer.select([explorer.boxShowing(named("addmm_3"))]);
    await go("exported");
    expect(selected()).toEqual(["linear_3"]);
    await go("core");
    expect(selected()).toEqual(["addmm_3"]);
    await go("functional");
    expect(selected()).toEqual(["linear_3"]);
    explorer.dispose();
  });

  test.each([true, false])("delegated nodes stay visible, selected or not: %s", async (isSelected) => {
    const { explorer, go, named } = await explore("dynamic_batch");
    await go("core");
    await explorer.openAll();
    await explorer.reveal(named("relu"));
    if (!isSelected) explorer.select([]);
    // a screen with room for little more than the box
    const { x, y, width, height } = explorer.rectOf(explorer.boxShowing(named("relu"))) ?? NOWHERE;
    explorer.viewportStore.set({
      camera: { x: x - 5, y: y - 5, zoom: 4 },
      screen: { width: 4 * (width + 10), height: 4 * (height + 10) },
      target: undefined,
    });
    expect(inSight(explorer)).toContain("relu");
    await go("xnnpack");
    expect(inSight(explorer)).toContain("relu");
    await go("core");
    expect(inSight(explorer).filter((title) => title !== "output")).not.toEqual([]);
    explorer.dispose();
  });

  test("the query runs again in the other stage", async () => {
    const { explorer, go } = await explore("bert");
    await explorer.search.ask("op:addmm");
    expect(explorer.state.results.nodes).toHaveLength(0);
    await go("core");
    await expect.poll(() => explorer.state.results.of).toBe("op:addmm");
    const found = explorer.state.results.nodes.map((node) => explorer.snapshot.target(node).name);
    expect(new Set(found)).toEqual(new Set(["addmm"]));
    explorer.dispose();
  });

  test("back returns to the previous stage with its selection; a view names its stage", async () => {
    const { explorer, go, named, selected } = await explore("bert");
    explorer.select([explorer.boxShowing(named("linear_3"))]);
    await go("core");
    explorer.select([explorer.boxShowing(named("addmm_3"))]);
    const view = explorer.view();
    await explorer.history.goBack();
    await explorer.history.goBack();
    expect(selected()).toEqual(["linear_3"]);
    expect(explorer.view().stage).not.toBe(view.stage);
    await explorer.show(view);
    expect(selected()).toEqual(["addmm_3"]);
    explorer.dispose();
  });

  test("of two requests the later one wins", async () => {
    const { explorer, source, go } = await explore("bert");
    await Promise.all([go("edge"), go("core")]);
    const core = source.state.tree.stages.find(({ name }) => name === "core");
    expect(explorer.state.stage).toBe(core?.id);
    expect(explorer.snapshot.methods[0]?.dialect).toBe("aten.core");
    explorer.dispose();
  });
});

describe("the source", () => {
  test("is followed when it wants another stage to be shown", async () => {
    const { explorer, source } = await explore("bert");
    const core = source.state.tree.stages.find(({ name }) => name === "core")?.id ?? "";
    source.set({ at: core });
    await expect.poll(() => explorer.state.stage).toBe(core);
    explorer.dispose();
  });

  test("may delete the stage that is shown: another is shown", async () => {
    const { explorer, source, go } = await explore("bert");
    await go("edge");
    const tree = { stages: source.state.tree.stages.filter(({ name }) => name !== "edge") };
    source.set({ tree, at: "s0" });
    await expect.poll(() => explorer.state.stage).toBe("s0");
    await expect.poll(() => explorer.snapshot.methods[0]?.dialect).toBe("aten.training");
    explorer.dispose();
  });

  test("releases the layouts of deleted stages, shown or not", async () => {
    const { open } = watchedWorker();
    const { explorer, source, go } = await explore("bert");
    for (const stage of ["core", "edge"]) await go(stage);
    const kept = [...open];
    expect(kept).toHaveLength(2);
    const stages = source.state.tree.stages.filter(({ parent }) => parent === null);
    source.set({ tree: { stages }, at: "s0" });
    await expect.poll(() => explorer.state.stage).toBe("s0");
    await expect.poll(() => kept.filter((program) => open.has(program))).toEqual([]);
    explorer.dispose();
    vi.unstubAllGlobals();
  });

  test("has the next stage laid out in advance, as it will be requested", async () => {
    const { views } = watchedWorker();
    const { explorer, go } = await explore("bert");
    await explorer.openAll();
    await expect.poll(() => views.length).toBeGreaterThan(2); // core, and functional
    const before = [...views];
    await go("core");
    const requests = views[before.length];
    expect(requests && before.map(({ open, previousX }) => ({ open, previousX }))).toContainEqual({
      open: requests?.open,
      previousX: requests?.previousX,
    });
    explorer.dispose();
    vi.unstubAllGlobals();
  });

  test("has no listeners after the explorer is disposed", async () => {
    const { explorer, source } = await explore("bert");
    expect(source.listening).toBeGreaterThan(0);
    explorer.dispose();
    expect(source.listening).toBe(0);
  });

  test("an unreadable stage is reported, and the shown one stays", async () => {
    const { explorer, source, go } = await explore("bert");
    source.skeleton = () => Promise.reject(new Error("The kernel is gone."));
    await go("core");
    expect(explorer.state.problem).toBe("Cannot show this stage: The kernel is gone.");
    expect(explorer.state.stage).toBe("s0");
    expect(explorer.state.isBusy).toBe(false);
    explorer.dispose();
  });
});

test("where no other stage has a program, that is why there is no comparison", async () => {
  const failing = await explore("training_mode");
  expect(failing.explorer.stepping?.whyNotCompared()).toBe("No other stage has a program to compare with.");
  failing.explorer.dispose();
});

test("a failed stage shows its parent's picture", async () => {
  const { explorer, source, go } = await explore("training_mode");
  const { scene } = explorer.state;
  await go("edge");
  const failed = source.state.tree.stages.find(({ state }) => state === "failed");
  expect(failed?.failure?.findings?.length).toBeGreaterThan(0);
  expect(explorer.state.stage).toBe(failed?.id);
  expect(explorer.state.scene).toBe(scene);
  for (const { node } of failed?.failure?.findings ?? []) {
    if (node) expect(explorer.snapshot.find(node)).toBeDefined();
  }
  explorer.dispose();
});

describe.skipIf(!hasStages("dynamic_batch"))("dragging along the stages", () => {
  async function dragged(isCalm = false) {
    const explored = await explore("dynamic_batch");
    const { explorer, source } = explored;
    const line = lineThrough(source.state.tree, "s0");
    const { stepping } = explorer;
    if (!stepping) throw new Error("It has stages.");
    const place = () => [explorer.state.stage, explorer.viewportStore.state.scrub];
    return { explorer, line, place, scrub: new StageScrub(explorer, stepping, line, isCalm) };
  }

  test("the picture is between the two stages around the drag position", async () => {
    const { line, place, scrub } = await dragged();
    expect(line.length).toBeGreaterThan(2);
    await scrub.drag(0.25);
    expect(place()).toEqual([line[1], 0.25]);
    await scrub.drag(1);
    expect(place()).toEqual([line[1], 1]);
    await scrub.drag(1.5);
    expect(place()).toEqual([line[2], 0.5]);
    await scrub.drag(0.75);
    expect(place()).toEqual([line[0], 0.25]);
  });

  test("after the release it moves to the nearest stage; back at the start, the camera is as before", async () => {
    const { explorer, line, place, scrub } = await dragged();
    const { camera } = explorer.viewportStore.state;
    await scrub.drag(0.3);
    const { passage } = explorer.state;
    expect(passage?.origin.some((slot) => slot >= 0)).toBe(true);
    await scrub.end();
    expect(place()).toEqual([line[0], undefined]);
    expect(explorer.viewportStore.state.target).toEqual(camera);
    await explorer.history.goBack();
    expect(explorer.state.stage).toBe(line[0]);
  });

  test("in a fast drag only the last position counts", async () => {
    const { line, place, scrub } = await dragged();
    void scrub.drag(0.2);
    void scrub.drag(1.9);
    await scrub.drag(line.length - 1);
    expect(place()[0]).toBe(line[line.length - 1]);
    await scrub.end();
    expect(place()).toEqual([line[line.length - 1], undefined]);
  });

  test("with reduced motion it goes from stage to stage, never between", async () => {
    const { line, place, scrub } = await dragged(true);
    await scrub.drag(0.4);
    expect(place()[0]).toBe(line[0]);
    await scrub.drag(0.6);
    expect(place()).toEqual([line[1], undefined]);
    await scrub.end();
    expect(place()).toEqual([line[1], undefined]);
  });
});
