/** What ExecuTorch can run, by operator: what blocks lowering first, then what a fix would gain most. */
import { useMemo } from "preact/hooks";
import type { Profile } from "../../profile";
import { grouped, type OpRow, shareText } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Link } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
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
  const rows = useMemo(() => byGain(analysis?.ready ?? [], profile), [analysis, profile]);
  if (!analysis) return <Section title="Readiness">Analysing…</Section>;
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
                <th scope="col" title={gainMeaning(profile)}>
                  gain
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
          <p class="exirviz-hint">{gainMeaning(profile)}</p>
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

const gainMeaning = (profile: Profile | undefined): string =>
  profile
    ? "Gain: the part of the measured run of calls that no backend runs."
    : "Gain: the part of the bytes moved by calls that no backend runs.";

function Operator({ actions, row, gain }: Here & Gain) {
  const { op, nodes, status, kernel = "", reasons = [], fixes = [] } = row;
  const [text, meaning] = STATUSES[status] ?? [status, ""];
  const facts = factsOf(row);
  return (
    <>
      <tr>
        <th scope="row">
          <Link title={`Select ${plural(nodes.length, "op")}`} onClick={() => actions.select(nodes)}>
            {visible(op)}
          </Link>
        </th>
        <td>{grouped(nodes.length)}</td>
        <td>{gain === undefined ? "–" : shareText(gain)}</td>
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

interface Gain {
  readonly row: OpRow;
  /** The part of the run, or of the bytes moved, that a fix can gain; undefined if not known. */
  readonly gain: number | undefined;
}

/** Operators by what a fix would gain: by bytes as Python wrote it, or by measured time. */
function byGain(rows: readonly OpRow[], profile: Profile | undefined): Gain[] {
  if (!profile) return rows.map((row) => ({ row, gain: row.gain ?? undefined }));
  const timed = rows.map((row) => ({ row, gain: DONE.has(row.status) ? 0 : timeShare(profile, row.nodes) }));
  const isBlocked = ({ row }: Gain): number => Number(row.status === "blocked");
  return timed.sort((a, b) => isBlocked(b) - isBlocked(a) || (b.gain ?? 0) - (a.gain ?? 0));
}

function timeShare(profile: Profile, nodes: readonly number[]): number | undefined {
  const times = nodes.map((node) => profile.of("time", node)).filter((time) => time !== undefined);
  return times.length ? profile.share(times.reduce((sum, time) => sum + time, 0)) : undefined;
}
