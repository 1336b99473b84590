/**
 * Which ops run on which backend, which run on the CPU and why, and the bytes transferred between the two.
 */
import { useMemo } from "preact/hooks";
import { costText, type Profile } from "../../profile";
import { byteText, type CpuRow, type DelegateRow, type Delegation, grouped, NONE } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Link, NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import type { PanelProps } from "../actions";
import { Readiness } from "../readiness/panel";

/** Ops of one row that are listed before the rest is folded. */
const FIRST_NODES = 3;
const FIRST_ROWS = 12;
/** Kinds of op that are named as the ones to fix first; Python sorts them. */
const FIX_FIRST = 3;
/** Said once where nothing is known of the partitioner. */
const NO_REASONS = "No reasons recorded. Lower the model in a Session to see why.";

/** The rows to fix first: no backend can take what writes results back. */
export const fixFirst = ({ cpu }: Delegation): readonly CpuRow[] =>
  cpu.filter(({ is_write_back: isBack = false }) => !isBack).slice(0, FIX_FIRST);

export function DelegationPanel({ snapshot, actions, costs }: PanelProps) {
  const delegation = snapshot.skeleton.page?.delegation;
  const here = { snapshot, actions, profile: costs?.profile };
  const small = useMemo(() => delegation?.delegates.filter(({ ops }) => ops === 1) ?? [], [delegation]);
  if (!delegation) return <Absent>Nothing is delegated: every op runs on the CPU.</Absent>;
  const { cpu, delegates } = delegation;
  const fixable = fixFirst(delegation);
  const others = cpu.filter((row) => !fixable.includes(row));
  const hasReasons = cpu.some(({ reason, is_write_back: isBack = false }) => reason && !isBack);
  const left = delegation.ops - delegation.delegated;
  const each = (row: CpuRow) => (
    <CpuOps key={`${row.op} ${row.reason}`} {...here} row={row} hasReasons={hasReasons} />
  );
  return (
    <article class="exirviz-panel" aria-label="Delegation">
      <Summary delegation={delegation} />
      {delegation.problems?.map((text) => (
        <p key={text} class="exirviz-hint" role="note">
          {visible(text)}
        </p>
      ))}
      {cpu.length === 0 && (
        <Section title="On the CPU">
          <Absent>None: every op is delegated.</Absent>
        </Section>
      )}
      {fixable.length > 0 && (
        <Section title="Fix first" aside={`of ${plural(left, "op")} on the CPU`}>
          {!hasReasons && <p class="exirviz-hint">{NO_REASONS}</p>}
          {others.length > 0 && <p class="exirviz-hint">These ops touch the most delegates.</p>}
          {fixable.map(each)}
        </Section>
      )}
      {others.length > 0 && (
        <Section title="Other ops on the CPU">
          <More items={others} first={FIRST_ROWS} of="kinds of op" each={each} />
        </Section>
      )}
      <Section title="Delegates" aside={grouped(delegates.length)}>
        {small.length > 0 && (
          <p class="exirviz-hint">
            {plural(small.length, "delegate")} {small.length === 1 ? "has" : "have"} only one op.
          </p>
        )}
        <More
          items={delegates}
          first={FIRST_ROWS}
          of="delegates"
          each={(row) => <DelegateLine key={row.graph} {...here} row={row} />}
        />
      </Section>
      <Readiness snapshot={snapshot} actions={actions} costs={costs} />
    </article>
  );
}

function Summary({ delegation: { ops, delegated, percent, delegates } }: { delegation: Delegation }) {
  const crossing = sum(delegates.flatMap((each) => [each.bytes_in, each.bytes_out]));
  return (
    <Section title="Delegation">
      <Rows>
        <Row term="delegated">
          {percent === null || percent === undefined
            ? "unknown: the file does not list delegated ops"
            : `${grouped(delegated)} of ${plural(ops, "op")} (${percent}%)`}
        </Row>
        <Row term="delegates">{grouped(delegates.length)}</Row>
        <Row term="transferred">
          {crossing === undefined ? "depends on symbolic sizes" : byteText(crossing)}
        </Row>
      </Rows>
    </Section>
  );
}

/** The part of the props that a row needs. */
interface Given extends Here {
  readonly profile: Profile | undefined;
}

/** The first line of a row: its title, which selects its ops. */
function Head({
  text,
  aside,
  title,
  onSelect,
}: {
  text: string;
  aside: string;
  title: string;
  onSelect: () => void;
}) {
  return (
    <div class="exirviz-report-head">
      <Link title={title} onClick={onSelect}>
        {visible(text)}
      </Link>
      <span class="exirviz-dim">{aside}</span>
    </div>
  );
}

function CpuOps({
  snapshot,
  actions,
  profile,
  row,
  hasReasons,
}: Given & { row: CpuRow; hasReasons: boolean }) {
  const { op, reason, nodes, delegates, bytes } = row;
  const cost = costText(profile, nodes);
  return (
    <div class="exirviz-report-row">
      <Head
        text={op}
        aside={`×${grouped(nodes.length)}`}
        title={`Select ${plural(nodes.length, "op")}`}
        onSelect={() => actions.select(nodes)}
      />
      {reason && <div>{visible(reason)}</div>}
      {!reason && hasReasons && <div class="exirviz-dim">No reason recorded</div>}
      {cost && <div class="exirviz-dim">{cost}</div>}
      {delegates > 0 && (
        <div class="exirviz-dim">
          touches {plural(delegates, "delegate")}
          {bytes === undefined || bytes === null ? "" : `, ${byteText(bytes)} transferred`}
        </div>
      )}
      <div class="exirviz-children">
        <More
          items={nodes}
          first={FIRST_NODES}
          of="ops"
          each={(node) => (
            <div key={node} class="exirviz-row-pair">
              <NodeLink snapshot={snapshot} actions={actions} node={node} />
              <span class="exirviz-dim">
                <Clip text={snapshot.scopes[snapshot.ownerOf(node)]?.path ?? ""} />
              </span>
            </div>
          )}
        />
      </div>
    </div>
  );
}

function DelegateLine({ snapshot, actions, profile, row }: Given & { row: DelegateRow }) {
  const { graph, name, module, ops, bytes, bytes_in: given, bytes_out: returned } = row;
  const holder = snapshot.holderOf(snapshot.graph(graph));
  const moved = sum([given, returned]);
  // A backend with a time for each op has none for the whole.
  const isWhole = holder !== undefined && profile?.of("time", holder) !== undefined;
  const cost = costText(profile, isWhole ? [holder] : opsOf(snapshot, graph, holder));
  return (
    <div class="exirviz-report-row">
      <Head
        text={name}
        aside={visible(module)}
        title="Select its ops"
        onSelect={() => actions.select(opsOf(snapshot, graph, holder))}
      />
      <div class="exirviz-dim">
        {plural(ops, "op")}
        {bytes === undefined || bytes === null ? "" : ` · ${byteText(bytes)}`}
        {moved === undefined ? "" : ` · ${byteText(moved)} transferred`}
      </div>
      {cost && <div class="exirviz-dim">{cost}</div>}
    </div>
  );
}

function opsOf(snapshot: Here["snapshot"], number: number, holder: number | undefined): number[] {
  const graph = snapshot.graph(number);
  const ops = Array.from({ length: graph.count }, (_, position) => position).filter((position) =>
    graph.computes(position),
  );
  return ops.length ? ops.map((position) => graph.base + position) : [holder ?? NONE];
}

/** Undefined if one is unknown. */
function sum(sizes: readonly (number | null | undefined)[]): number | undefined {
  let total = 0;
  for (const size of sizes) {
    if (size === undefined || size === null) return undefined;
    total += size;
  }
  return total;
}
