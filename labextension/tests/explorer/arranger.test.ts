import { expect, it, vi } from "vitest";
import { Arranger } from "../../src/explorer/arranger";
import { everyGroup } from "../../src/explorer/open_groups";
import { LayoutClient } from "../../src/layout";
import { Picture } from "../../src/picture";
import { sevenWide, snapshotOf } from "../programs";

/** Ops in modules, too many to be laid out at once; counts text measurements. */
function large(): { picture: Picture; count: () => number } {
  const names = Array.from({ length: 900 }, (_, i) => `op${"xy"[i % 2]}_${i}`);
  const snapshot = snapshotOf({
    name: "forward",
    nodes: names.map((name, i) => ({
      name,
      inputs: i ? [names[i - 1] ?? ""] : [],
      module: `layers.${Math.floor(i / 30)}`,
    })),
  });
  let measured = 0;
  const measure: typeof sevenWide = (...text) => {
    measured++;
    return sevenWide(...text);
  };
  return { picture: new Picture(snapshot, snapshot.graph(0), true, measure), count: () => measured };
}

it("has nothing left to size after a picture was prepared", async () => {
  const { picture, count } = large();
  const arranger = new Arranger();
  await arranger.warm(picture);
  const before = count();
  expect(before).toBeGreaterThan(0);
  const scene = await arranger.scene(picture, picture.view(everyGroup(picture), new Set()));
  expect(scene?.item.length).toBe(picture.count);
  expect(count()).toBe(before);
  arranger.dispose();
});

it("sizes a picture in steps, to the same sizes as at once", () => {
  const [slowly, at] = [large().picture, large().picture];
  const steps = [...slowly.sizeInSteps()].length;
  expect(steps).toBe(Math.floor(slowly.count / 100));
  expect(slowly.tree.width).toEqual(at.sizedTree().width);
});

it("sends a worker nothing that was released meanwhile", async () => {
  const opened = vi.spyOn(LayoutClient.prototype, "open");
  const { picture } = large();
  const arranger = new Arranger();
  const warming = arranger.warm(picture);
  arranger.release((each) => each === picture);
  await warming;
  expect(opened).not.toHaveBeenCalled();
  await arranger.warm(picture);
  expect(opened).toHaveBeenCalledTimes(1);
  opened.mockRestore();
  arranger.dispose();
});
