// @vitest-environment happy-dom
/** A list that is shown in parts says how many there are more, one as one. */
import { expect, test } from "vitest";
import { More } from "../../src/panels/parts/more";
import { stage } from "./stage";

test.each([
  [9, "1 more rule"],
  [10, "2 more rules"],
  [300, "200 more of 300 rules"],
])("of %i rules", (count, says) => {
  const place = stage();
  const items = Array.from({ length: count }, (_, i) => i);
  place.show(<More items={items} first={8} of="rules" each={(i) => <p key={i}>{i}</p>} />);
  expect(place.root.querySelector(".ev-more")?.textContent).toBe(says);
});
