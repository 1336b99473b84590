/** What the report of rules says of single nodes: for the signs in the picture, and for the panel of a node. */
import { grouped, NONE } from "../snapshot";
import { Link } from "../ui/links";
import { Section } from "../ui/section";
import { visible } from "../ui/text";
import type { Reports, ShownReport } from "./reports";
import type { Outcome } from "./schema";

/** The name of the report. */
export const RULES_REPORT = "rules";

export interface RuleFinding {
  readonly node: number;
  readonly severity: Outcome;
  readonly text: string;
  readonly remedy: string;
}

/** None until the report is here. */
export function ruleFindings(reports: Reports | undefined): readonly RuleFinding[] {
  const state = reports?.of(RULES_REPORT);
  if (state?.state !== "ready") return [];
  const found = known.get(state.report) ?? findingsOf(state.report);
  known.set(state.report, found);
  return found;
}

const known = new WeakMap<ShownReport, readonly RuleFinding[]>();

const findingsOf = ({ sections = [] }: ShownReport): readonly RuleFinding[] =>
  sections.flatMap(({ rows }) =>
    rows.flatMap(({ title, severity = "fine", nodes = [], texts = [], remedy = "" }) =>
      nodes.flatMap((node, i) =>
        node === NONE ? [] : [{ node, severity, text: texts[i] || title, remedy }],
      ),
    ),
  );

interface NodeFindingsProps {
  readonly findings: readonly RuleFinding[];
  readonly node: number;
  /** Opens the report. */
  readonly onOpen: (() => void) | undefined;
}

export function NodeFindings({ findings, node, onOpen }: NodeFindingsProps) {
  const own = findings.filter((each) => each.node === node);
  if (own.length === 0) return null;
  return (
    <Section title="Findings" aside={grouped(own.length)}>
      {own.map(({ severity, text, remedy }) => (
        <div class="exirviz-report-row" key={text}>
          <span class={`exirviz-severity exirviz-severity-${severity}`}>{severity}</span> {visible(text)}
          {remedy && <div>→ {visible(remedy)}</div>}
        </div>
      ))}
      {onOpen && <Link onClick={onOpen}>Show the report</Link>}
    </Section>
  );
}
