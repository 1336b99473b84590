import { expect, test } from "vitest";
import { asView, linkOf, type ViewState, viewOfLink } from "../../src/store";

const view: ViewState = {
  graph: "forward",
  folded: true,
  open: ["forward:L__self__model.layers.3", "forward/cond()"],
  unrolled: ["/"],
  selected: ["forward/mm_35"],
  focus: { direction: "ancestors", steps: 2 },
  query: 'op:mm "a b" /x&y=#/',
  overlay: "bytes",
  scale: "quantile",
  weighted: true,
  timeline: true,
  tab: "code",
  camera: { x: 1.5, y: -2, zoom: 0.5 },
};

test("a view is unchanged after a round trip through its link", () => {
  expect(viewOfLink(linkOf(view))).toEqual(view);
});

test.each(["", "#", "#view=", "#view=%7B", "#view=not%20json", "#other=1"])(
  "a link %j has no view",
  (hash) => {
    expect(viewOfLink(hash)).toBeUndefined();
  },
);

test.each([
  ["nothing", null],
  ["a text", "forward"],
  ["no camera", { ...view, camera: undefined }],
  ["a camera that looks nowhere", { ...view, camera: { x: Number.NaN, y: 0, zoom: 1 } }],
  ["a zoom of zero", { ...view, camera: { x: 0, y: 0, zoom: 0 } }],
  ["names that are none", { ...view, open: [1, 2] }],
])("%s is not a view", (_, raw) => {
  expect(asView(raw)).toBeUndefined();
});

test("unknown parts of a view are skipped", () => {
  const read = asView({
    ...view,
    tab: "evil",
    scale: "cubic",
    weighted: "very",
    focus: { direction: "sideways" },
    more: 1,
  });
  expect(read).toBeDefined();
  expect(read).not.toHaveProperty("tab");
  expect(read).not.toHaveProperty("focus");
  expect(read).not.toHaveProperty("scale");
  expect(read).not.toHaveProperty("weighted");
  expect(read).not.toHaveProperty("more");
});
