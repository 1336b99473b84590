/** What a panel says of a comparison as a whole: modules that changed alike, as one; facts by topic. Pure. */

import type { Explorer } from "../../explorer";
import type { Scene } from "../../layout";
import { grouped } from "../../snapshot";
import { CHANGE_KINDS } from "../view/change_colors";
import { type Changes, changed, type Side } from "./changes";
import type { Comparison, Counts, ModuleChange, Rule } from "./schema";
import type { Tally } from "./tally";

/** Modules of one path but for numbers, of one class on each side, that changed alike. Of each, all within it is counted. */
export interface ModuleRow {
  readonly path: string;
  /** Before and after; once where it is the same, or on one side only. */
  readonly classes: readonly string[];
  readonly counts: Counts;
  /** Of these, what is in no module within it. */
  readonly own: Counts;
  readonly before: number;
  readonly after: number;
  readonly modules: readonly ModuleChange[];
}

/** Modules with a change of their own, in none within them; first those that changed most, all of a row told. */
export function moduleRows({ comparison: { modules = [] }, snapshots }: Changes): ModuleRow[] {
  const classesOf = ({ a, b }: ModuleChange): string[] => {
    const classes = [a, b].map((scope, side) => snapshots[side as Side].scopes[scope]?.cls ?? "");
    return [...new Set(classes.filter(Boolean))];
  };
  const rows = new Map<string, ModuleChange[]>();
  for (const module of modules) {
    if (!changed(module.own)) continue;
    const numbers = [module.own, module.counts].flatMap((counts) =>
      CHANGE_KINDS.map((kind) => counts[kind] ?? 0),
    );
    const key = [starred(module.path), classesOf(module).join(" → "), ...numbers].join("\n");
    rows.set(key, [...(rows.get(key) ?? []), module]);
  }
  const weight = ({ own, modules: alike }: ModuleRow): number => changed(own) * alike.length;
  return [...rows.values()]
    .flatMap((alike): ModuleRow[] => {
      const [first] = alike;
      if (!first) return [];
      const { counts, own, before, after } = first;
      const path = alike.length > 1 ? starred(first.path) : first.path;
      return [{ path, classes: classesOf(first), counts, own, before, after, modules: alike }];
    })
    .sort((a, b) => weight(b) - weight(a));
}

/** How many module calls hold no change at all. */
export const sameModules = ({ modules = [] }: Comparison): number =>
  modules.filter(({ counts }) => !changed(counts)).length;

const starred = (path: string): string => path.replace(/(?<=^|\.)\d+(?=\.|$)/g, "*");

/** "1 added, 2 removed": of what is read out or pointed at. */
export const countWords = (counts: Counts): string =>
  CHANGE_KINDS.filter((kind) => counts[kind])
    .map((kind) => `${grouped(counts[kind] ?? 0)} ${kind}`)
    .join(", ") || "no change";

/** Of a group as a scene shows it: "4 changed"; of equals that are folded into one box, "in all 11: 44 changed". */
export function groupWords(tally: Tally, scene: Scene, item: number): string {
  const members = tally.membersSeen(scene, item);
  const words = countWords(tally.countsSeen(scene, item));
  return members > 1 ? `in all ${members}: ${words}` : words;
}

/** What became of a box of a side, for whoever cannot see its colour; empty where it is the same. */
export function boxWords(tally: Tally, { picture, state }: Explorer, item: number): string {
  if (picture.isGroup(item)) {
    return changed(tally.countsSeen(state.scene, item)) ? groupWords(tally, state.scene, item) : "";
  }
  const kind = tally.kind(item);
  return kind === "same" ? "" : kind;
}

/** "linear → view ×2 + permute + addmm": the ops of a rule without their namespace. */
export function shortRule(rule: Rule | undefined): string {
  const { before = [], after = [], text = "" } = rule ?? {};
  if (!before.length || !after.length) return text.replace(/`([^`]*)`/g, (_, op: string) => shortOp(op));
  const [was, is] = [before, after].map((ops) => ops.map(shortOp).join(" + "));
  const probably = text.includes("` probably became `") ? " (probably)" : "";
  const fields = text.includes(": ") ? text.slice(text.indexOf(": ")).replaceAll("`", "") : "";
  return `${was === is ? was : `${was} → ${is}`}${probably}${fields}`;
}

const shortOp = (op: string): string => op.replace(/^(aten|dim_order_ops|edge)\./, "");
