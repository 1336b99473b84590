import { expect, test } from "vitest";
import { Explorer, outline } from "../../src/explorer";
import { sevenWide } from "../programs";
import { readCorpus } from "../snapshots";

test("an outline has every box once, each directly after its holder or its siblings' content", async () => {
  const explorer = new Explorer(await readCorpus("bert.core"), sevenWide, { width: 900, height: 700 });
  await explorer.openAll();
  const { scene, picture } = explorer.state;
  const order = outline(scene, (item) => picture.parentOf(item));
  expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from(scene.item.keys()));
  const path: number[] = [];
  for (const slot of order) {
    const item = scene.item[slot] ?? -1;
    path.length = scene.depth[slot] ?? 0;
    expect(path.at(-1) ?? -1).toBe(picture.parentOf(item));
    path.push(item);
  }
});
