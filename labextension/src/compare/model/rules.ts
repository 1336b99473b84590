/** Changes grouped by rule. Pure. */
import type { Changes } from "./changes";
import type { ChangeRule } from "./schema";

interface RuleCount {
  readonly rule: ChangeRule;
  readonly count: number;
  /** The first match of the rule. */
  readonly first: number;
}

/** The rules of some matches, by weight; matches without a rule are skipped. */
export function rulesIn(changes: Changes, matches: readonly number[]): RuleCount[] {
  const found = new Map<ChangeRule, RuleCount>();
  for (const match of matches) {
    const rule = changes.rule(match);
    if (!rule) continue;
    const { count = 0, first = match } = found.get(rule) ?? {};
    found.set(rule, { rule, count: count + 1, first });
  }
  return byWeight([...found.values()]);
}

/** The most frequent first; rules about nodes that do no work or only moved last. */
export function byWeight<T extends Pick<RuleCount, "rule" | "count">>(rules: readonly T[]): T[] {
  const isMinor = ({ rule }: T): number => Number(rule.minor ?? false);
  return [...rules].sort((x, y) => isMinor(x) - isMinor(y) || y.count - x.count);
}
