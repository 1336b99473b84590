/** Which rules of the IR a program breaks: a list by rule, filtered by severity and text. */
import { useMemo, useState } from "preact/hooks";
import { type FindingGroup, grouped, NONE, type PageFindings } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Link, NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import type { PanelProps } from "../actions";

/** Findings of one rule that are listed before the rest is folded. */
const FIRST_FINDINGS = 3;
const FIRST_GROUPS = 12;

export function FindingsPanel({ snapshot, actions }: PanelProps) {
  const findings = snapshot.skeleton.page?.findings;
  const [hidden, hide] = useState<ReadonlySet<Severity>>(new Set());
  const [text, setText] = useState("");
  const groups = useMemo(
    () => filtered(findings?.groups ?? [], { hidden, text, name: (node) => snapshot.id(node) }),
    [findings, hidden, text, snapshot],
  );
  if (!findings) return null;
  const toggle = (severity: Severity): void => {
    const next = new Set(hidden);
    if (!next.delete(severity)) next.add(severity);
    hide(next);
  };
  const isEmpty = !findings.groups?.length;
  return (
    <article class="exirviz-panel" aria-label="Findings">
      <Section title="Findings" aside={`rules of ${findings.dialect}`}>
        {isEmpty ? (
          <Absent>None: the program keeps all rules{findings.unchecked ? " that were checked" : ""}.</Absent>
        ) : (
          <Filter findings={findings} hidden={hidden} onToggle={toggle} text={text} onText={setText} />
        )}
        {findings.unchecked && <p class="exirviz-hint">{findings.unchecked}</p>}
      </Section>
      {!isEmpty && groups.length === 0 && <Absent>No finding matches the filter.</Absent>}
      <More
        items={groups}
        first={FIRST_GROUPS}
        of="rules"
        each={(group) => (
          <Group key={`${group.rule} ${group.remedy}`} snapshot={snapshot} actions={actions} group={group} />
        )}
      />
    </article>
  );
}

function Filter({
  findings,
  hidden,
  onToggle,
  text,
  onText,
}: {
  findings: PageFindings;
  hidden: ReadonlySet<Severity>;
  onToggle: (severity: Severity) => void;
  text: string;
  onText: (text: string) => void;
}) {
  return (
    <div class="exirviz-report-filter">
      {SEVERITIES.map((severity) => (
        <button
          key={severity}
          type="button"
          class={`exirviz-severity exirviz-severity-${severity}`}
          aria-pressed={!hidden.has(severity)}
          title={hidden.has(severity) ? `Show ${severity}s` : `Hide ${severity}s`}
          onClick={() => onToggle(severity)}
        >
          {plural(findings[`${severity}s`], severity)}
        </button>
      ))}
      <input
        type="search"
        class="exirviz-report-filter-text"
        aria-label="Filter findings"
        placeholder="Filter by node, rule or text"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </div>
  );
}

const SeverityLabel = ({ severity }: { severity: string }) => (
  <span class={`exirviz-severity exirviz-severity-${severity}`}>{severity}</span>
);

function Group({ snapshot, actions, group }: Here & { group: FindingGroup }) {
  const { rule, severity, title, section, url, remedy, nodes, messages } = group;
  const located = nodes.filter((node) => node !== NONE);
  const items = nodes.map((node, at) => ({ node, message: messages[at] ?? "" }));
  return (
    <section class="exirviz-panel-finding" aria-label={`${severity}: ${title}`}>
      <div class="exirviz-report-head">
        <SeverityLabel severity={severity} />
        <Link
          title={`Select ${plural(located.length, "node")}`}
          disabled={located.length === 0}
          onClick={() => actions.select(located)}
        >
          {title}
        </Link>
        <span class="exirviz-panel-finding-count">×{grouped(nodes.length)}</span>
      </div>
      <div class="exirviz-dim">
        {rule} ·{" "}
        <a href={url} target="_blank" rel="noopener noreferrer">
          {section}
        </a>
      </div>
      <ul class="exirviz-panel-finding-items">
        <More
          items={items}
          first={FIRST_FINDINGS}
          of="findings"
          each={({ node, message }, at) => (
            <li key={at}>
              {node === NONE ? null : <NodeLink snapshot={snapshot} actions={actions} node={node} />}
              <div>{visible(message)}</div>
            </li>
          )}
        />
      </ul>
      <div class="exirviz-panel-finding-remedy">→ {visible(remedy)}</div>
    </section>
  );
}

/** The findings at one node, on its panel. */
export function NodeFindings({ snapshot, node }: Pick<PanelProps, "snapshot"> & { node: number }) {
  const found = (snapshot.skeleton.page?.findings?.groups ?? []).flatMap((group) =>
    group.nodes.flatMap((each, at) => (each === node ? [{ group, message: group.messages[at] ?? "" }] : [])),
  );
  if (found.length === 0) return null;
  return (
    <Section title="Findings" aside={grouped(found.length)}>
      {found.map(({ group, message }) => (
        <div class="exirviz-panel-finding" key={`${group.rule} ${message}`}>
          <SeverityLabel severity={group.severity} /> {visible(message)}
          <div class="exirviz-panel-finding-remedy">→ {visible(group.remedy)}</div>
        </div>
      ))}
    </Section>
  );
}

const SEVERITIES = ["error", "warning", "hint"] as const;

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
    const pick = <T,>(values: readonly T[]): T[] => values.filter((_, at) => kept.includes(at));
    return [{ ...group, nodes: pick(group.nodes), messages: pick(group.messages) }];
  });
}
