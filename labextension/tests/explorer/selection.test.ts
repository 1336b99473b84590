import { expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { actionsOf, selectionOf } from "../../src/frame/selection";
import { eventually } from "../eventually";
import { delegatedProfile } from "../profile/delegated";
import { sevenWide } from "../programs";
import { readCorpus } from "../snapshots";

test("a module in a nested graph is revealed there", async () => {
  const { snapshot } = delegatedProfile("cpu").profile;
  const explorer = new Explorer(snapshot, sevenWide, { width: 900, height: 700 });
  const scope = snapshot.scopes.findIndex(({ path }) => path === "first");
  actionsOf(explorer).revealModule(0, scope);
  await eventually(() =>
    expect(selectionOf(explorer.state)).toMatchObject({ kind: "module", graph: 1, scope }),
  );
});

test("an edge into a run of identical modules leads to the users in all of them", async () => {
  const snapshot = await readCorpus("bert.core");
  const explorer = new Explorer(snapshot, sevenWide, { width: 900, height: 700 });
  const usersOf = (): number => {
    const { scene, picture } = explorer.state;
    const edge = scene.edgeSource.findIndex(
      (source) => picture.nodeOf(scene.item[source] ?? -1) === snapshot.find("forward/expand_2"),
    );
    const [source = -1, target = -1] = [scene.edgeSource[edge], scene.edgeTarget[edge]].map(
      (slot) => scene.item[slot ?? -1],
    );
    explorer.select([], { source, target, value: scene.edgeValue[edge] ?? -1 });
    const selection = selectionOf(explorer.state);
    return selection.kind === "edge" ? selection.users.length : -1;
  };
  const run = (): number => Math.max(...explorer.state.scene.members);
  await explorer.openTo(1);
  expect([run(), usersOf()]).toEqual([12, 12]);
  const encoder = [...explorer.state.open].find((item) => explorer.picture.words.title(item) === "encoder");
  await explorer.unroll(explorer.picture.childrenOf(encoder ?? -1)[0] ?? -1);
  expect([run(), usersOf()]).toEqual([1, 1]);
});
