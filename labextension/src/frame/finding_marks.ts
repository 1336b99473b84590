/** Signs at nodes with findings, and the findings as text: where a step failed, and broken rules. */

import { levelOf } from "../canvas/detail_level";
import { placeOf, slotsIn } from "../canvas/drawlist";
import type { Above, Look } from "../canvas/look";
import type { Place } from "../canvas/op_boxes";
import type { Primitive } from "../canvas/primitives";
import { font, fontSize } from "../canvas/theme";
import { slotsOf } from "../explorer/focus";
import { type Camera, type Size, visibleWorld } from "../geometry/camera";
import { Kind, type Scene } from "../layout";
import type { Picture } from "../picture";
import type { RuleFinding } from "../reports";
import type { Snapshot } from "../snapshot";
import type { Finding } from "../stages";
import { plural } from "../ui/text";

/** From the least to the most important: a box has the sign of the most important one. */
const LEVELS = ["note", "warning", "error", "failed"] as const;

type Level = (typeof LEVELS)[number];

/** Colours on a light and a dark background: of rings and discs, and of the sign on a disc. */
const COLORS: Record<Level, { readonly light: string; readonly dark: string; readonly sign: string }> = {
  note: { light: "#5f6670", dark: "#9aa0a6", sign: "i" },
  warning: { light: "#b35900", dark: "#ffb74d", sign: "!" },
  error: { light: "#b3261e", dark: "#ff8a80", sign: "!" },
  failed: { light: "#b3261e", dark: "#ff8a80", sign: "×" },
};
const INK = { light: "#ffffff", dark: "#141414" } as const;

interface NodeFinding {
  readonly node: number;
  readonly level: Level;
  readonly text: string;
}

export interface FindingMarks {
  readonly above: Above;
  /** The findings at a box's node, or how many a module contains; empty if there are none. */
  readonly says: (item: number) => string;
}

/** The findings of a step that began with the program that is shown. */
export function failedNodes(snapshot: Snapshot, findings: readonly Finding[]): NodeFinding[] {
  return findings.flatMap(({ node: name, text }) => {
    const node = name ? snapshot.find(name) : undefined;
    return node === undefined ? [] : [{ node, level: "failed" as const, text: `failed: ${text}` }];
  });
}

/** The nodes that break a rule; those with notes too if `hasNotes`. */
export function ruleBreakers(findings: readonly RuleFinding[], hasNotes: boolean): NodeFinding[] {
  return findings.flatMap(({ node, severity, text }) => {
    if (severity === "fine" || (severity === "note" && !hasNotes)) return [];
    return [{ node, level: severity, text: `${severity}: ${text}` }];
  });
}

/** The marks of a picture; undefined if no node has a finding. */
export function marksOf(picture: Picture, findings: readonly NodeFinding[]): FindingMarks | undefined {
  if (findings.length === 0) return undefined;
  const texts = textsByItem(picture, findings);
  let last: { readonly scene: Scene; readonly levels: Uint8Array } | undefined;
  const levelsIn = (scene: Scene): Uint8Array => {
    if (last?.scene !== scene) last = { scene, levels: levelsOf(picture, scene, findings) };
    return last.levels;
  };
  return {
    above: (look, camera, screen) => {
      const made: Made = { under: [], over: [] };
      if (look.picture === picture) signs(look, levelsIn(look.scene), camera, screen, made);
      return made;
    },
    says: (item) => texts.get(item) ?? "",
  };
}

/** By slot: 0 for none, otherwise one more than the index of the highest level in or below the box. */
function levelsOf(picture: Picture, scene: Scene, findings: readonly NodeFinding[]): Uint8Array {
  const levels = new Uint8Array(scene.item.length);
  LEVELS.forEach((level, at) => {
    const nodes = findings.flatMap((each) => (each.level === level ? [shownBy(picture, each.node)] : []));
    const marked = slotsOf(picture, scene.slotOf, levels.length, nodes);
    for (let slot = 0; slot < levels.length; slot++) if (marked[slot]) levels[slot] = at + 1;
  });
  return levels;
}

/** The node whose box shows a node: for state that is folded into an op, that op. */
function shownBy(picture: Picture, node: number): number {
  if (picture.boxOf(node) >= 0) return node;
  const { graph, position } = picture.snapshot.locate(node);
  const user = graph.usersOf(position)[0];
  return user === undefined ? node : graph.base + user;
}

/** Of a box the texts, of a module how many findings it contains. */
function textsByItem(picture: Picture, findings: readonly NodeFinding[]): Map<number, string> {
  const texts = new Map<number, string>();
  const counts = new Map<number, Map<Level, number>>();
  for (const { node, level, text } of findings) {
    const box = picture.boxOf(shownBy(picture, node));
    if (box < 0) continue;
    if (!picture.isGroup(box)) texts.set(box, [texts.get(box), text].filter(Boolean).join(" · "));
    for (
      let item = picture.isGroup(box) ? box : picture.parentOf(box);
      item >= 0;
      item = picture.parentOf(item)
    ) {
      const own = counts.get(item) ?? new Map<Level, number>();
      own.set(level, (own.get(level) ?? 0) + 1);
      counts.set(item, own);
    }
  }
  for (const [item, own] of counts)
    texts.set(
      item,
      [...LEVELS]
        .reverse()
        .flatMap((level) => (own.has(level) ? [countText(level, own.get(level) ?? 0)] : []))
        .join(" · "),
    );
  return texts;
}

const countText = (level: Level, count: number): string =>
  level === "failed" ? `${plural(count, "op")} failed` : plural(count, level);

interface Made {
  readonly under: Primitive[];
  readonly over: Primitive[];
}

/** Boxes inside an open module have marks of their own. */
function signs(look: Look, levels: Uint8Array, camera: Camera, screen: Size, out: Made): void {
  for (const slot of slotsIn(look, visibleWorld(camera, screen))) {
    const level = LEVELS[(levels[slot] ?? 0) - 1];
    if (level && look.scene.kind[slot] !== Kind.Open) sign(look, placeOf(look, slot, camera), level, out);
  }
}

/** The disc is above everything. A failed node also has a ring, below the text at its edge. */
function sign({ theme }: Look, at: Place, level: Level, { under, over }: Made): void {
  const tone = theme.isDark ? "dark" : "light";
  const { [tone]: color, sign: text } = COLORS[level];
  const { x, y, width, height, zoom } = at;
  if (level === "failed") {
    const radius = 6 * Math.min(1, zoom);
    under.push({ type: "box", x, y, width, height, radius, line: color, lineWidth: 2.5 });
  }
  const disc = levelOf(zoom) === "shapes" ? 3 : 7.5;
  const [left, top] = [x + width - disc, y - disc];
  over.push({
    type: "box",
    x: left,
    y: top,
    width: 2 * disc,
    height: 2 * disc,
    radius: disc,
    fill: color,
    line: theme.box,
    lineWidth: 1.5,
  });
  if (levelOf(zoom) === "shapes") return;
  const [size, baseline] = text === "×" ? [1.7, 1.5] : [1.5, 1.55]; // letters are higher than the cross
  over.push({
    type: "text",
    x: left + disc,
    y: top + disc * baseline,
    text,
    font: font(theme, "op", (disc * size) / fontSize("op")),
    color: INK[tone],
    align: "center",
  });
}
