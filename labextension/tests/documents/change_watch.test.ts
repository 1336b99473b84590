import { expect, test } from "vitest";
import { ChangeWatch } from "../../src/documents/change_watch";

function watched(...stamps: (string | Error)[]) {
  let changes = 0;
  const watch = new ChangeWatch(
    async () => {
      const stamp = stamps.shift() ?? "";
      if (stamp instanceof Error) throw stamp;
      return stamp;
    },
    () => changes++,
  );
  return { watch, changes: () => changes };
}

test("each new version is reported once", async () => {
  const { watch, changes } = watched("one", "one", "two", "two", "three");
  await watch.start();
  const counts = [];
  for (let i = 0; i < 4; i++) {
    await watch.check();
    counts.push(changes());
  }
  expect(counts).toEqual([0, 1, 1, 2]);
});

test("a file that is missing for a while is not a new version", async () => {
  const { watch, changes } = watched("one", new Error("404"), "one", new Error("404"), "two");
  await watch.start();
  for (let i = 0; i < 3; i++) await watch.check();
  expect(changes()).toBe(0);
  await watch.check();
  expect(changes()).toBe(1);
});

test("a version that is read meanwhile is not offered", async () => {
  const { watch, changes } = watched("one", "two", "two");
  await watch.start();
  const check = watch.check();
  const start = watch.start();
  await Promise.all([check, start]);
  await watch.check();
  expect(changes()).toBe(0);
});
