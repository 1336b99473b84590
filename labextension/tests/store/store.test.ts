import { expect, test } from "vitest";
import { Store } from "../../src/store";

test("listeners are called only for changes", () => {
  const store = new Store({ a: 1, b: "x" });
  const changes: unknown[] = [];
  const off = store.subscribe((state, before) => changes.push([before.a, state.a]));
  store.set({ a: 2 });
  store.set({ a: 2, b: "x" });
  expect(changes).toEqual([[1, 2]]);
  off();
  store.set({ a: 3 });
  expect([changes.length, store.listening]).toEqual([1, 0]);
});

test("a listener that unsubscribes during a call does not disturb the others", () => {
  const store = new Store({ a: 1 });
  const changes: string[] = [];
  const off = store.subscribe(() => {
    changes.push("first");
    off();
  });
  store.subscribe(() => changes.push("second"));
  store.set({ a: 2 });
  store.set({ a: 3 });
  expect(changes).toEqual(["first", "second", "second"]);
});
