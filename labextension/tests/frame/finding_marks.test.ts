import { expect, test } from "vitest";
import { type Look, plainLook } from "../../src/canvas/look";
import { failedNodes, marksOf, ruleBreakers } from "../../src/frame/finding_marks";
import { Picture } from "../../src/picture";
import type { RuleFinding } from "../../src/reports";
import { NONE } from "../../src/snapshot";
import { theme } from "../canvas/theme";
import { sevenWide, snapshotOf, stack } from "../programs";

const snapshot = snapshotOf(stack(2));
const picture = new Picture(snapshot, snapshot.graph(0), true, sevenWide);
const screen = { width: 2000, height: 4000 };
const near = { x: -20, y: -20, zoom: 1 };
const nodes = stack(2).nodes.map(({ name }) => ({ name, node: snapshot.find(`forward/${name}`) ?? NONE }));
const calls = nodes.filter(({ name }) => name.startsWith("linear"));

const finding = (severity: RuleFinding["severity"], node = NONE): RuleFinding => ({
  node,
  severity,
  text: `${severity} here`,
  remedy: "",
});

function lookAt(isAllOpen: boolean): Look {
  const groups = Array.from({ length: picture.count }, (_, item) => item).filter((item) =>
    picture.isGroup(item),
  );
  const scene = picture.layout.scene(picture.view(new Set(isAllOpen ? groups : []), new Set()));
  return plainLook(picture, scene, theme, sevenWide);
}

const signs = (marks: ReturnType<typeof marksOf>, look: Look): string[] =>
  (marks?.above(look, near, screen).over ?? []).flatMap((each) => (each.type === "text" ? [each.text] : []));

test("nodes that break a rule have a sign, and closed modules have that of the worst", () => {
  const [first, second] = calls.map(({ node }) => node);
  const found = [finding("error", first), finding("warning", second), finding("note", first)];
  const marks = marksOf(picture, ruleBreakers(found, true));
  expect(signs(marks, lookAt(true))).toEqual(["!", "!"]);
  expect(signs(marks, lookAt(false))).toEqual(["!"]);
  expect(marks?.says(picture.boxOf(first ?? NONE))).toBe("error: error here · note: note here");
  const whole = picture.parentOf(picture.parentOf(picture.boxOf(first ?? NONE)));
  expect(marks?.says(whole)).toBe("1 error · 1 warning · 1 note");
  expect(marks?.says(picture.boxOf(nodes[0]?.node ?? NONE))).toBe("");
});

test("notes have a sign only if they are asked for", () => {
  const found = [finding("note", calls[0]?.node)];
  expect(marksOf(picture, ruleBreakers(found, false))).toBeUndefined();
  expect(signs(marksOf(picture, ruleBreakers(found, true)), lookAt(true))).toEqual(["i"]);
});

test("a finding about a parameter that is folded into an op is shown at the op", () => {
  const state = nodes.find(({ node }) => picture.boxOf(node) < 0);
  const user = snapshot.graph(0).usersOf(nodes.findIndex(({ node }) => node === state?.node))[0] ?? NONE;
  const found = [finding("error", state?.node)];
  expect(marksOf(picture, ruleBreakers(found, false))?.says(picture.boxOf(user))).toBe("error: error here");
});

test("a failed node has a ring and a cross", () => {
  const marks = marksOf(
    picture,
    failedNodes(snapshot, [
      { topic: "other", text: "no kernel", node: `forward/${calls[0]?.name}`, remedy: "" } as never,
    ]),
  );
  const { under } = marks?.above(lookAt(true), near, screen) ?? { under: [] };
  expect(under).toHaveLength(1);
  expect(signs(marks, lookAt(true))).toEqual(["×"]);
});
