// @vitest-environment happy-dom
/** A list that is shown in parts says how many items remain, with the right singular. */
import { expect, test } from "vitest";
import { More } from "../../src/ui/more";
import { stage } from "../panels/stage";

test("an item of another kind is not counted", () => {
  const says = (items: readonly string[]): string | null | undefined => {
    const place = stage();
    const otherName = (item: string): string | undefined => (item === "rest" ? "overhead" : undefined);
    place.show(
      <More items={items} first={2} of="nodes" otherName={otherName} each={(i) => <p key={i}>{i}</p>} />,
    );
    return place.root.querySelector(".exirviz-show-more")?.textContent;
  };
  expect(says(["a", "rest", "b", "c"])).toBe("2 more nodes");
  expect(says(["a", "b", "rest", "c"])).toBe("1 more node and overhead");
  expect(says(["a", "b", "rest"])).toBe("overhead");
  const nodes = Array.from({ length: 300 }, (_, i) => `${i}`);
  expect(says(["rest", ...nodes])).toBe("200 more of 300 nodes");
  expect(says(["a", "b", "rest", ...nodes])).toBe("199 more of 302 nodes and overhead");
  expect(says([...nodes, "rest"])).toBe("200 more of 300 nodes");
});

test.each([
  [9, "1 more rule"],
  [10, "2 more rules"],
  [300, "200 more of 300 rules"],
])("of %i rules", (count, says) => {
  const place = stage();
  const items = Array.from({ length: count }, (_, i) => i);
  place.show(<More items={items} first={8} of="rules" each={(i) => <p key={i}>{i}</p>} />);
  expect(place.root.querySelector(".exirviz-show-more")?.textContent).toBe(says);
});
