/** Changes by the rule that they are of. Pure. */
import type { Changes } from "./changes";
import type { Rule } from "./schema";

interface RuleCount {
  readonly rule: Rule;
  readonly count: number;
  /** The first match of it. */
  readonly first: number;
}

/** Of some matches, by weight; those of no rule are left out. */
export function rulesIn(changes: Changes, matches: readonly number[]): RuleCount[] {
  const found = new Map<Rule, RuleCount>();
  for (const match of matches) {
    const rule = changes.rule(match);
    if (!rule) continue;
    const { count = 0, first = match } = found.get(rule) ?? {};
    found.set(rule, { rule, count: count + 1, first });
  }
  return byWeight([...found.values()]);
}

/** The most frequent first; rules about nodes that do no work last. */
export function byWeight<T extends Pick<RuleCount, "rule" | "count">>(rules: readonly T[]): T[] {
  const isMinor = ({ rule }: T): number => Number(rule.minor ?? false);
  return [...rules].sort((x, y) => isMinor(x) - isMinor(y) || y.count - x.count);
}
