// @vitest-environment happy-dom
/** Memory over time and planned arenas: drawings that work by keys and pointer, and their texts. */
import { expect, test } from "vitest";
import { arenas, peak } from "../../src/profile";
import { writer } from "../../src/profile/arenas";
import { NO_COSTS } from "../../src/profile/profile_access";
import { ProfilePanel } from "../../src/profile/view";
import { PAGE_VERSION, type PageSkeleton, type PlannedArena, Snapshot } from "../../src/snapshot";
import { NOTHING } from "../../src/ui/actions";
import { eventually } from "../eventually";
import { stage } from "../panels/stage";
import { detailOf, skeletonOf, stack } from "../programs";
import { profileOf } from "./records";

const skeleton = skeletonOf(stack(3));
const [graph] = skeleton.graphs;
const names = graph?.names ?? [];
const calls = names.flatMap((name, i) => (/^p_|^x$|output/.test(name) ? [] : [i]));

/** A value of each of three calls; the third is at the place of the first. */
function planned(): PageSkeleton {
  const [a = 0, b = 0, c = 0] = calls;
  const arena: PlannedArena = {
    number: 1,
    size: 96,
    peak: 96,
    peak_at: b,
    nodes: [a, b, c],
    texts: ["f32[16]", "f32[8]", "f32[16]"],
    offsets: [0, 64, 0],
    bytes: [64, 32, 64],
    first: [a, b, c],
    last: [b, c, c],
  };
  return { ...skeleton, page: { version: PAGE_VERSION, memory: [{ arenas: [arena] }] } };
}

const detail = detailOf(skeleton);
const snapshot = new Snapshot(planned(), async () => detail);
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

test("the plan is read as Python derived it", () => {
  const [arena, ...others] = arenas(snapshot, skeleton.methods[0]?.name ?? "");
  expect(others).toEqual([]);
  expect(arena?.values.map(({ offset, bytes }) => [offset, bytes])).toEqual([
    [0, 64],
    [64, 32],
    [0, 64],
  ]);
  expect(arena?.size).toBe(96);
  expect(arena?.peak).toEqual({ bytes: 96, node: calls[1] });
  expect(arenas(new Snapshot(skeleton, async () => detail), "forward")).toEqual([]);
});

test("an allocation is represented by the op that writes to it", () => {
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

test("keys step through memory, mark each op in the picture, and Enter selects it", async () => {
  const place = shown();
  const [line] = place.root.querySelectorAll<HTMLElement>("[role=slider]");
  const most = peak(profile);
  const at = () => line?.getAttribute("aria-valuetext") ?? "";
  expect(at()).toContain(snapshot.name(profile.nodes[most?.row ?? -1] ?? -1));
  if (line) press(line, "Home");
  await eventually(() => expect(at()).toContain(`${snapshot.name(profile.nodes[0] ?? -1)}: 1 KB live`));
  if (line) press(line, "ArrowRight");
  await eventually(() => expect(at()).toContain(snapshot.name(profile.nodes[1] ?? -1)));
  expect(place.root.querySelector(".exirviz-scrub-say")?.textContent).toBe(at());
  if (line) press(line, "Enter");
  expect(place.requests).toEqual([
    `hover ${profile.nodes[0]}`,
    `hover ${profile.nodes[1]}`,
    `reveal ${profile.nodes[1]}`,
  ]);
});

test("other keys are not handled", () => {
  const [line] = shown().root.querySelectorAll("[role=slider]");
  expect(line && press(line, "h")).toBe(true);
  expect(line && press(line, "End")).toBe(false);
});

test("a plan names the op at its peak and gives each value's place and end", async () => {
  const place = shown();
  const [, arena] = place.root.querySelectorAll<HTMLElement>("[role=slider]");
  expect(place.text()).toContain(`96 B alive at ${snapshot.name(calls[1] ?? -1)}`);
  if (arena) press(arena, "Home");
  const until = snapshot.name(calls[1] ?? -1);
  await eventually(() =>
    expect(arena?.getAttribute("aria-valuetext")).toBe(
      `${snapshot.name(calls[0] ?? -1)}: f32[16], 64 B at 0, until ${until}`,
    ),
  );
});
