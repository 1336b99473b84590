/** The findings that pass a filter: severities, and text in the rule, the node or the message. */
import { type FindingGroup, NONE } from "../../snapshot";

export const SEVERITIES = ["error", "warning", "hint"] as const;

export type Severity = (typeof SEVERITIES)[number];

interface Filter {
  readonly hidden: ReadonlySet<Severity>;
  readonly text: string;
  readonly name: (node: number) => string;
}

/** Groups with the findings that match; a group whose rule matches keeps all of them. */
export function filtered(groups: readonly FindingGroup[], { hidden, text, name }: Filter): FindingGroup[] {
  const wanted = text.trim().toLowerCase();
  const holds = (part: string): boolean => part.toLowerCase().includes(wanted);
  return groups.flatMap((group) => {
    if (hidden.has(group.severity as Severity)) return [];
    if (!wanted || holds(group.rule) || holds(group.title)) return [group];
    const kept = group.nodes.flatMap((node, at) =>
      holds(group.messages[at] ?? "") || (node !== NONE && holds(name(node))) ? [at] : [],
    );
    if (kept.length === 0) return [];
    const pick = <T>(values: readonly T[]): T[] => values.filter((_, at) => kept.includes(at));
    return [{ ...group, nodes: pick(group.nodes), messages: pick(group.messages) }];
  });
}
