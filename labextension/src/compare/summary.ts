/** What a panel says of a comparison as a whole: modules that changed alike, as one; facts by topic. Pure. */

import type { Explorer } from "../explorer";
import { grouped } from "../snapshot";
import { changed } from "./changes";
import { CHANGE_KINDS } from "./colors";
import type { Comparison, Counts, ModuleChange, Rule } from "./schema";
import type { Tally } from "./tally";

/** Modules of one path but for numbers, of one class, that changed alike. */
export interface ModuleRow {
  readonly path: string;
  readonly cls: string;
  readonly counts: Counts;
  readonly before: number;
  readonly after: number;
  readonly modules: readonly ModuleChange[];
}

/** Modules with a change of their own, in none within them; first those that changed most, all of a row told. */
export function moduleRows({ modules = [] }: Comparison): ModuleRow[] {
  const rows = new Map<string, ModuleChange[]>();
  for (const module of modules) {
    if (!changed(module.own)) continue;
    const key = [starred(module.path), module.cls, ...CHANGE_KINDS.map((kind) => module.own[kind] ?? 0)].join(
      "\n",
    );
    rows.set(key, [...(rows.get(key) ?? []), module]);
  }
  const weight = ({ counts, modules: alike }: ModuleRow): number => changed(counts) * alike.length;
  return [...rows.values()]
    .flatMap((alike): ModuleRow[] => {
      const [first] = alike;
      if (!first) return [];
      const { cls, own, before, after } = first;
      const path = alike.length > 1 ? starred(first.path) : first.path;
      return [{ path, cls, counts: own, before, after, modules: alike }];
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

/** What became of a box of a side, for whoever cannot see its colour; empty where it is the same. */
export function boxWords(tally: Tally, { picture, state }: Explorer, item: number): string {
  if (picture.isGroup(item)) {
    const counts = tally.countsSeen(state.scene, item);
    return changed(counts) ? countWords(counts) : "";
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
