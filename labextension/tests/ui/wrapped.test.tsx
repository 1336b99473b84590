// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { Wrapped } from "../../src/ui/wrapped";
import { stage } from "../panels/stage";

test.each([
  [
    "quantized_decomposed.quantize_per_tensor.default",
    ["quantized_", "decomposed.", "quantize_", "per_", "tensor.", "default"],
  ],
  ["aten._softmax.default", ["aten.", "_", "softmax.", "default"]],
  ["x", ["x"]],
])("%s is shown in full and breaks between its words", (text, lines) => {
  const place = stage();
  place.show(<Wrapped text={text} />);
  expect(place.root.textContent).toBe(text);
  expect(place.root.querySelector("span")?.innerHTML.split(/<wbr\/?>/)).toEqual(lines);
});
