/** The scenes of a story: what a page reads of them, and that each is shown as it was, in any order. */
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { ScenePlayer, scenesOf } from "../../src/hosts/story";
import { sevenWide, snapshotOf, stack } from "../programs";

const opened = (): Explorer => new Explorer(snapshotOf(stack(3)), sevenWide, { width: 900, height: 700 });
const packed = (scenes: unknown): Uint8Array => new Uint8Array(deflateSync(JSON.stringify(scenes)));
const shown = (explorer: Explorer): string[] =>
  explorer.selectedNodes().map((node) => explorer.snapshot.id(node));

test("scenes that cannot be read are left out, and of the others what is wrong", async () => {
  const scenes = await scenesOf(
    packed([
      {
        caption: "a",
        orders: [
          { kind: "do", action: "fit" },
          { kind: "do", action: "erase" },
        ],
      },
      3,
      {},
    ]),
  );
  expect(scenes.map(({ caption, stage }) => [caption, stage])).toEqual([["a", ""]]);
  expect(scenes[0]?.look.orders).toEqual([{ kind: "do", action: "fit" }]);
  expect(await scenesOf(packed({ caption: "no list" }))).toEqual([]);
});

test("a scene begins with the first view, whatever was shown before it", async () => {
  const explorer = opened();
  const some = explorer.snapshot.id(explorer.picture.nodeOf(explorer.picture.leavesOf(0)[0] ?? 0));
  const scenes = await scenesOf(
    packed([
      { caption: "open", orders: [{ kind: "do", action: "open", paths: [], nodes: [], depth: null }] },
      { caption: "select", selection: [some] },
    ]),
  );
  const player = new ScenePlayer(explorer, scenes);
  await player.play(0);
  const all = explorer.state.open.size;
  await player.play(1);
  expect(shown(explorer)).toEqual([some]);
  expect(explorer.state.open.size).toBeLessThan(all);
  await player.play(0);
  expect(shown(explorer)).toEqual([]);
  expect(explorer.state.open.size).toBe(all);
});

test("a saved view is shown as it was", async () => {
  const explorer = opened();
  await explorer.openAll();
  const view = { ...explorer.view(), query: "op:*mm*" };
  await explorer.closeAll();
  const player = new ScenePlayer(explorer, await scenesOf(packed([{ caption: "as it was", view }])));
  await player.play(0);
  expect([...explorer.view().open].sort()).toEqual([...view.open].sort());
  expect(explorer.state.query).toBe("op:*mm*");
});

test("of requests that overlap only the newest is shown", async () => {
  const explorer = opened();
  const queries = ["op:*mm*", "op:*add*", "op:*gelu*"];
  const player = new ScenePlayer(
    explorer,
    await scenesOf(
      packed(queries.map((query) => ({ caption: query, orders: [{ kind: "do", action: "search", query }] }))),
    ),
  );
  const requests: string[] = [];
  explorer.store.subscribe(({ query }) => requests.at(-1) !== query && requests.push(query));
  await Promise.all([player.play(0), player.play(1), player.play(2)]);
  expect(explorer.state.query).toBe("op:*gelu*");
  expect(requests).not.toContain("op:*add*");
});
