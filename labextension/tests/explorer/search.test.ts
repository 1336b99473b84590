import { expect, test, vi } from "vitest";
import { Explorer } from "../../src/explorer";
import { Searcher } from "../../src/search";
import { sevenWide } from "../programs";
import { readCorpus } from "../snapshots";

const explore = async (name: string): Promise<Explorer> =>
  new Explorer(await readCorpus(name), sevenWide, { width: 900, height: 700 });

test("a large program is searched when typing pauses, and stepping to a result waits for that", async () => {
  const explorer = await explore("deep10k");
  const find = vi.spyOn(Searcher.prototype, "find");
  const typed = ["g", "ge", "gel", "gelu"].map((query) => explorer.search.ask(query));
  await explorer.search.step(1);
  expect(find.mock.calls).toEqual([["gelu"]]);
  const { results, selected } = explorer.state;
  expect([results.of, results.nodes.length, results.at]).toEqual(["gelu", 720, 0]);
  expect(selected).toEqual([explorer.picture.boxOf(results.nodes[0] ?? -1)]);
  await Promise.all(typed);
  find.mockRestore();
});
