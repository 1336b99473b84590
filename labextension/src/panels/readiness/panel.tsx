/** What ExecuTorch can run, by operator: what blocks lowering first, then by gain, bytes or time. */
import { useMemo } from "preact/hooks";
import type { Profile } from "../../profile";
import { byteText, grouped, type OpRow, shareText } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Link } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import { Wrapped } from "../../ui/wrapped";
import type { PanelProps } from "../actions";
import { useAnalysis } from "../detail";

const FIRST_ROWS = 20;
/** The statuses in words, and what they mean. */
const STATUSES: Readonly<Record<string, readonly [text: string, meaning: string]>> = {
  blocked: ["blocks lowering", "The program cannot be lowered or run because of it"],
  cpu: ["CPU", "ExecuTorch's own kernels run it"],
  unknown: ["not known", "Only lowering shows which kernels it needs"],
  partly: ["partly", "A backend runs some of its calls, or a part of what they become"],
  delegated: ["backend", "A backend runs it"],
  removed: ["removed", "Lowering leaves no op to run"],
};

/** Whether lowering works, in a sentence or two. */
function outcome(rows: readonly OpRow[]): string {
  const blocked = rows.filter(({ status }) => status === "blocked").length;
  if (blocked > 0) return `${plural(blocked, "operator")} ${blocked === 1 ? "blocks" : "block"} lowering.`;
  const unknown = rows.filter(({ status }) => status === "unknown").length;
  if (unknown === 0) return "No operator blocks lowering.";
  return `No known operator blocks lowering. ${plural(unknown, "operator")} ${unknown === 1 ? "is" : "are"} not known.`;
}

/** The tab of a program of which nothing is delegated. */
export const ReadinessPanel = (props: PanelProps) => (
  <article class="exirviz-panel" aria-label="Readiness">
    <Readiness {...props} />
  </article>
);

export function Readiness({ snapshot, actions, costs }: Pick<PanelProps, "snapshot" | "actions" | "costs">) {
  const analysis = useAnalysis(snapshot);
  const profile = costs?.profile;
  const rows = useMemo(() => byCost(analysis?.ready ?? [], profile), [analysis, profile]);
  if (!analysis) return <Section title="Readiness">Analysing…</Section>;
  const [column, meaning] = costColumn(analysis.ready ?? [], profile);
  return (
    <Section title="Readiness" aside={plural(rows.length, "operator")}>
      {rows.length === 0 && (
        <Absent>Not analysed: the program is too large, or its kernel is disconnected.</Absent>
      )}
      {rows.length > 0 && (
        <>
          <p>{outcome(rows.map(({ row }) => row))}</p>
          <table class="exirviz-readiness">
            <thead>
              <tr>
                <th scope="col">operator</th>
                <th scope="col">calls</th>
                <th scope="col" title={meaning}>
                  {column}
                </th>
                <th scope="col">runs on</th>
              </tr>
            </thead>
            <tbody>
              <More
                items={rows}
                first={FIRST_ROWS}
                of="operators"
                each={(each) => (
                  <Operator key={each.row.op} snapshot={snapshot} actions={actions} {...each} />
                )}
              />
            </tbody>
          </table>
          <p class="exirviz-hint">{meaning}</p>
          {(analysis.notes ?? []).map((note) => (
            <p class="exirviz-hint" key={note}>
              {visible(note)}
            </p>
          ))}
          <p class="exirviz-hint">exir_viz.readiness(program) also asks every installed backend.</p>
        </>
      )}
    </Section>
  );
}

/** The third column: what a fix would gain if backends are known, else what the calls cost. */
function costColumn(rows: readonly OpRow[], profile: Profile | undefined): [column: string, meaning: string] {
  const cost = profile ? "the measured run" : "the bytes moved";
  if (hasGain(rows)) return ["gain", `Gain: the part of ${cost} by calls that no backend runs.`];
  return profile ? ["time", "Time: the part of the measured run."] : ["bytes", "Bytes: what the calls move."];
}

const hasGain = (rows: readonly OpRow[]): boolean => rows.some(({ gain }) => gain !== undefined);

function Operator({ actions, row, cost }: Here & Cost) {
  const { op, nodes, status, kernel = "", reasons = [], fixes = [] } = row;
  const [text, meaning] = STATUSES[status] ?? [status, ""];
  const facts = factsOf(row);
  return (
    <>
      <tr>
        <th scope="row">
          <Link title={`Select ${plural(nodes.length, "op")}`} onClick={() => actions.select(nodes)}>
            <Wrapped text={op} />
          </Link>
        </th>
        <td>{grouped(nodes.length)}</td>
        <td>{cost}</td>
        <td>
          <span class={`exirviz-readiness-status is-${status}`} title={meaning}>
            {text}
          </span>
          {status === "cpu" && kernel && <span class="exirviz-dim"> {visible(kernel)}</span>}
        </td>
      </tr>
      {(facts !== "" || reasons.length > 0) && (
        <tr class="exirviz-readiness-why">
          <td colSpan={4}>
            {facts && <div class="exirviz-dim">{facts}</div>}
            {reasons.map((reason) => (
              <div key={reason}>{visible(reason)}</div>
            ))}
            {fixes.map((fix) => (
              <div key={fix} class="exirviz-dim">
                → {visible(fix)}
              </div>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}

/** What is unusual: operators of Core ATen with allowed dtypes and a kernel have none. */
function factsOf({ core, dtypes, kernel }: OpRow): string {
  const facts = [
    core === "not core" && "not of Core ATen",
    core === "custom" && "custom operator",
    core === "decomposes" && "decomposes into Core ATen",
    dtypes === "not allowed" && "dtypes not allowed at edge",
    kernel === "none" && "no kernel",
  ];
  return facts.filter(Boolean).join(" · ");
}

/** Where calls need no fix: a backend runs them, or lowering removes them. */
const DONE: ReadonlySet<string> = new Set(["delegated", "removed"]);

interface Cost {
  readonly row: OpRow;
  /** What is in the third column. */
  readonly cost: string;
}

/** Operators in Python's order, by gain or bytes; with a profile, by measured time. */
function byCost(rows: readonly OpRow[], profile: Profile | undefined): Cost[] {
  const isGain = hasGain(rows);
  const share = (part: number | undefined): string => (part === undefined ? "–" : shareText(part));
  if (!profile)
    return rows.map((row) => ({ row, cost: isGain ? share(row.gain) : byteText(row.bytes ?? 0) }));
  const timed = rows.map((row) => {
    const part = isGain && DONE.has(row.status) ? 0 : timeShare(profile, row.nodes);
    return { row, part, cost: share(part) };
  });
  const isBlocked = ({ row }: Cost): number => Number(row.status === "blocked");
  return timed.sort((a, b) => isBlocked(b) - isBlocked(a) || (b.part ?? 0) - (a.part ?? 0));
}

function timeShare(profile: Profile, nodes: readonly number[]): number | undefined {
  const times = nodes.map((node) => profile.of("time", node)).filter((time) => time !== undefined);
  return times.length ? profile.share(times.reduce((sum, time) => sum + time, 0)) : undefined;
}
