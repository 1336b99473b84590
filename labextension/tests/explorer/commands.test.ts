import { expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { run } from "../../src/explorer/commands";
import { sevenWide, snapshotOf, stack } from "../programs";
import { snapshotAt } from "../stages/staged";

const screen = { width: 900, height: 700 };

test("a key that has nothing to show says why", () => {
  const explorer = new Explorer(snapshotOf(stack(2)), sevenWide, screen);
  const noticeOf = (command: Parameters<typeof run>[1]): string => {
    explorer.store.set({ notice: "" });
    run(explorer, command);
    return explorer.state.notice;
  };
  expect(noticeOf("by-delegate")).toBe("Nothing is delegated here");
  expect(explorer.state.tab).toBe("node");
  expect([noticeOf("hotter"), noticeOf("less-hot")]).toEqual(["No profile yet", "No profile yet"]);
  expect(noticeOf("tab-code")).toBe("");
  expect(explorer.state.tab).toBe("code");
});

test("where something is delegated, the key shows it", async () => {
  const explorer = new Explorer(await snapshotAt("llama2", "xnnpack"), sevenWide, screen);
  run(explorer, "by-delegate");
  await expect.poll(() => explorer.picture.isByDelegate).toBe(true);
  expect(explorer.state.notice).toBe("");
});
