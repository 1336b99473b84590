import { describe, expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { Stages } from "../../src/stages";
import { sevenWide } from "../programs";
import { here, stillness } from "./stability";
import { hasStages, stagedProgram } from "./staged";

const SCREEN = { width: 1000, height: 800 };

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

describe.each(["bert", "resnet50"].filter(hasStages))("the picture of %s", (name) => {
  test("keeps order and place from stage to stage, all open", async () => {
    const { explorer, go } = await explore(name);
    await explorer.openAll();
    for (const stage of ["core", "edge", "core", "exported"]) {
      const before = here(explorer);
      await go(stage);
      const { persistent, boxes, besides, kept, stacked, keptStacked } = stillness(explorer, before);
      expect(kept / besides).toBeGreaterThan(0.98);
      expect(keptStacked / stacked).toBeGreaterThan(0.94);
      expect(persistent / Math.min(boxes, before.scene.item.length)).toBeGreaterThan(0.7);
    }
    explorer.dispose();
  });

  test("comes back to the scene it left", async () => {
    const { explorer, go } = await explore(name);
    await explorer.openAll();
    const { scene } = explorer.state;
    await go("core");
    await go("edge");
    await go("exported");
    expect(explorer.state.scene.rect).toEqual(scene.rect);
    explorer.dispose();
  });
});
