// @vitest-environment happy-dom
/** Memory over time and planned arenas: drawings that keys walk as a pointer does, and what they say. */
import { expect, test, vi } from "vitest";
import { NOTHING } from "../../src/panels/actions";
import { arenas, peak } from "../../src/profile";
import { writer } from "../../src/profile/arenas";
import { NO_COSTS } from "../../src/profile/sight";
import { ProfilePanel } from "../../src/profile/view";
import type { Detail, MemorySpec } from "../../src/snapshot";
import { Snapshot } from "../../src/snapshot";
import { stage } from "../panels/stage";
import { detailOf, skeletonOf, stack } from "../programs";
import { profileOf } from "./records";

const skeleton = skeletonOf(stack(3));
const [graph] = skeleton.graphs;
const names = graph?.names ?? [];
const calls = names.flatMap((name, i) => (/^p_|^x$|output/.test(name) ? [] : [i]));

/** Of each call one value; of the second another as well, and one that shares the first one's place. */
function planned(): Detail {
  const spec = (offset: number, bytes: number, first: number, last: number): MemorySpec => ({
    dtype: "float32",
    shape: [bytes / 4],
    mem_id: 1,
    offset,
    bytes,
    lifetime: [first, last],
  });
  const [a = 0, b = 0, c = 0] = calls;
  const lists = [[spec(0, 64, a, b)], [spec(64, 32, b, c), spec(0, 64, a, b)], [spec(0, 64, c, c)]];
  const detail = detailOf(skeleton);
  const specs = names.map((_, i) => (calls.indexOf(i) < lists.length ? calls.indexOf(i) : -1));
  return {
    ...detail,
    spec_lists: lists,
    graphs: detail.graphs.map((each) => ({ ...each, specs })),
  };
}

const detail = planned();
const snapshot = new Snapshot(skeleton, async () => detail);
const profile = profileOf(snapshot);

function shown() {
  const place = stage();
  const { actions } = place;
  place.show(
    <ProfilePanel
      {...{ snapshot, actions }}
      detail={{ state: "ready", detail }}
      selection={NOTHING}
      costs={{ ...NO_COSTS, profile }}
    />,
  );
  return place;
}

const press = (on: Element, key: string): boolean =>
  on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

test("the plan is read as Python reads it: one value a place, and the most at once", () => {
  const [arena, ...others] = arenas(snapshot, detail, skeleton.methods[0]?.name ?? "");
  expect(others).toEqual([]);
  expect(arena?.values.map(({ offset, bytes }) => [offset, bytes])).toEqual([
    [0, 64],
    [64, 32],
    [0, 64],
  ]);
  expect(arena?.size).toBe(96);
  expect(arena?.peak).toEqual({ bytes: 96, node: calls[1] });
  expect(arenas(snapshot, detailOf(skeleton), "forward")).toEqual([]);
});

test("an allocation goes by the op that writes to it", () => {
  const nodes = [
    { name: "x", op: "placeholder" as const },
    { name: "alloc", target: "alloc", inputs: [] },
    { name: "add", target: "add", inputs: ["x", "alloc"] },
    { name: "output", op: "output" as const, inputs: ["add"] },
  ];
  const small = new Snapshot(skeletonOf({ name: "forward", nodes }), async () => detail);
  expect(small.name(writer(small, small.find("alloc") ?? -1))).toBe("add");
  expect(small.name(writer(small, small.find("add") ?? -1))).toBe("add");
});

test("keys walk along memory, mark each op in the picture, and Enter goes there", async () => {
  const place = shown();
  const [line] = place.root.querySelectorAll<HTMLElement>("[role=slider]");
  const most = peak(profile);
  const at = () => line?.getAttribute("aria-valuetext") ?? "";
  expect(at()).toContain(snapshot.name(profile.nodes[most?.row ?? -1] ?? -1));
  if (line) press(line, "Home");
  await vi.waitFor(() => expect(at()).toContain(`${snapshot.name(profile.nodes[0] ?? -1)}: 1 KB alive`));
  if (line) press(line, "ArrowRight");
  await vi.waitFor(() => expect(at()).toContain(snapshot.name(profile.nodes[1] ?? -1)));
  expect(place.root.querySelector(".ev-scrub-say")?.textContent).toBe(at());
  if (line) press(line, "Enter");
  expect(place.asked).toEqual([
    `hover ${profile.nodes[0]}`,
    `hover ${profile.nodes[1]}`,
    `reveal ${profile.nodes[1]}`,
  ]);
});

test("keys of others are left to them", () => {
  const [line] = shown().root.querySelectorAll("[role=slider]");
  expect(line && press(line, "h")).toBe(true);
  expect(line && press(line, "End")).toBe(false);
});

test("a plan names the op at its peak and says of each value where it lies and until when", async () => {
  const place = shown();
  const [, arena] = place.root.querySelectorAll<HTMLElement>("[role=slider]");
  expect(place.text()).toContain(`96 B alive at ${snapshot.name(calls[1] ?? -1)}`);
  if (arena) press(arena, "Home");
  const until = snapshot.name(calls[1] ?? -1);
  await vi.waitFor(() =>
    expect(arena?.getAttribute("aria-valuetext")).toBe(
      `${snapshot.name(calls[0] ?? -1)}: f32[16], 64 B at 0, until ${until}`,
    ),
  );
});
