// @vitest-environment happy-dom
/** What a part of a view shows when another store replaces the one it followed. */
import { expect, test } from "vitest";
import { useStore } from "../../src/frame/context";
import { Store } from "../../src/store";
import { settled, stage } from "../panels/stage";

test("no part shows a value of another store", async () => {
  const drawn: string[] = [];
  function Part({ name, store }: { name: string; store: Store<{ at: number }> }) {
    drawn.push(`${name} ${useStore(store, ({ at }) => at)}`);
    return null;
  }
  const place = stage();
  const [first, second] = [new Store({ at: 1 }), new Store({ at: 0 })];
  place.show(<Part name="first" store={first} />);
  await settled();
  place.show(<Part name="second" store={second} />);
  await settled();
  second.set({ at: 2 });
  first.set({ at: 5 });
  await settled();
  expect([...new Set(drawn)]).toEqual(["first 1", "second 0", "second 2"]);
  expect([first.listening, second.listening]).toEqual([0, 1]);
});
