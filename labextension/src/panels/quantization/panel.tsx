/** Which ops compute in integers and which in float, by status, operator and reason. */
import { grouped, NONE, type PageQuantization, type QuantizationRow } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Link, NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Section } from "../../ui/section";
import { capitalized, plural, visible } from "../../ui/text";
import type { PanelProps } from "../actions";

/** Ops of one row that are listed before the rest is folded. */
const FIRST_NODES = 3;
const FIRST_ROWS = 12;

export function QuantizationPanel({ snapshot, actions }: PanelProps) {
  const report = snapshot.skeleton.page?.quantization;
  if (!report) return <Absent>The program has no quantize op</Absent>;
  const here = { snapshot, actions };
  // Ops in float come first: they are what can be gained.
  const titles = [...new Set(report.rows.map(({ title }) => title))];
  return (
    <article class="exirviz-panel" aria-label="Quantization">
      <Summary {...here} report={report} />
      {titles.map((title) => (
        <Status key={title} {...here} title={title} rows={report.rows.filter((row) => row.title === title)} />
      ))}
    </article>
  );
}

function Summary({ snapshot, actions, report }: Here & { report: PageQuantization }) {
  return (
    <Section title="Quantization" aside={plural(report.ops, "op")}>
      {report.counts.map(([title, count]) => {
        const nodes = nodesOf(report.rows.filter((row) => row.title === title));
        return (
          <div key={title}>
            <Link title={`Select ${plural(nodes.length, "op")}`} onClick={() => actions.select(nodes)}>
              {plural(count, "op")}
            </Link>{" "}
            {title}
          </div>
        );
      })}
      {report.warnings.map((text) => (
        <p key={text} class="exirviz-quantization-warning" role="note">
          {visible(text)}
        </p>
      ))}
      {snapshot.skeleton.origin.type === "pte" && (
        <p class="exirviz-hint">A .pte has only payloads: a click selects the delegate.</p>
      )}
    </Section>
  );
}

function Status({ title, rows, ...here }: Here & { title: string; rows: readonly QuantizationRow[] }) {
  const count = rows.reduce((sum, { nodes }) => sum + nodes.length, 0);
  return (
    <Section title={capitalized(title)} aside={grouped(count)}>
      <More
        items={rows}
        first={FIRST_ROWS}
        of="kinds of op"
        each={(row) => <Ops key={`${row.op} ${row.reason}`} {...here} row={row} />}
      />
    </Section>
  );
}

function Ops({ row, ...here }: Here & { row: QuantizationRow }) {
  const { op, reason, nodes, texts } = row;
  const items = nodes.map((node, at) => ({ node, text: texts[at] ?? "" }));
  return (
    <div class="exirviz-report-row">
      <div class="exirviz-report-head">
        <Link
          title={`Select ${plural(nodes.length, "op")}`}
          onClick={() => here.actions.select(nodesOf([row]))}
        >
          {visible(op)}
        </Link>
        <span class="exirviz-dim">×{grouped(nodes.length)}</span>
      </div>
      {reason && <div>{visible(reason)}</div>}
      <div class="exirviz-children">
        <More
          items={items}
          first={FIRST_NODES}
          of="ops"
          each={({ node, text }, at) => (
            <div key={at}>
              {node !== NONE && <NodeLink {...here} node={node} />}
              {text && <div class="exirviz-dim">{visible(text)}</div>}
            </div>
          )}
        />
      </div>
    </div>
  );
}

const nodesOf = (rows: readonly QuantizationRow[]): number[] => [
  ...new Set(rows.flatMap(({ nodes }) => nodes).filter((node) => node !== NONE)),
];
