/**
 * The inspector of an edge, of a nested graph, of several nodes, of an inserted group, and of an empty
 * selection.
 */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import {
  byteText,
  type CpuRow,
  countText,
  type DelegatePart,
  type Delegation,
  type ProgramState,
  type Snapshot,
} from "../snapshot";
import type { DetailState, Here, Selection } from "../ui/actions";
import { Clip } from "../ui/clip";
import { Link, NodeLink } from "../ui/links";
import { More } from "../ui/more";
import { Absent, Row, Rows, Section } from "../ui/section";
import { plural, visible } from "../ui/text";
import type { PanelProps } from "./actions";
import { ValueSection } from "./node/value";
import { Ops } from "./op_bars";
import { PayloadSection } from "./payload/section";
import { SignatureSection } from "./signature/section";

type Of<K extends Selection["kind"]> = Here & { readonly selection: Extract<Selection, { kind: K }> };

const Title = ({ title, more }: { title: string; more?: string }) => (
  <header class="exirviz-head">
    <div class="exirviz-head-line">
      <h3>
        <Clip text={title} />
      </h3>
    </div>
    {more && <p class="exirviz-schema exirviz-plain">{more}</p>}
  </header>
);

export function EdgePanel({ selection, ...here }: Of<"edge">) {
  const { snapshot } = here;
  const { node, users } = selection;
  const { graph, position } = snapshot.locate(node);
  return (
    <article class="exirviz-panel" aria-label="Edge">
      <Title title={snapshot.name(node)} more="edge" />
      <ValueSection snapshot={snapshot} node={node} />
      <Section title="Edge">
        <Rows>
          <Row term="from">
            <NodeLink {...here} node={node} />
          </Row>
          <Row term="to">
            <span class="exirviz-names">
              <More
                items={users}
                first={10}
                of=""
                each={(user) => <NodeLink key={user} {...here} node={user} />}
              />
            </span>
          </Row>
          <Row term="all users">{plural(graph.usersOf(position).length, "node")}</Row>
        </Rows>
      </Section>
    </article>
  );
}

export function GraphPanel({ selection, detail, ...here }: Of<"graph"> & { detail: DetailState }) {
  const { snapshot } = here;
  const graph = snapshot.graph(selection.graph);
  const { delegate, type } = graph.columns;
  const holder = snapshot.holderOf(graph);
  const call = snapshot.delegateCall(graph.number);
  const nodes = useMemo(() => Array.from({ length: graph.count }, (_, i) => graph.base + i), [graph]);
  return (
    <article class="exirviz-panel" aria-label={`Graph ${graph.path}`}>
      <Title
        title={call?.name ?? graph.columns.name}
        more={delegate ? `subgraph delegated to ${delegate.backend}` : `${type} of this program`}
      />
      <Section title="Graph">
        <Rows>
          <Row term="path">
            <Clip text={graph.path} />
          </Row>
          {holder !== undefined && (
            <Row term="called by">
              <NodeLink {...here} node={holder}>
                <Clip text={snapshot.name(holder)} />
              </NodeLink>
            </Row>
          )}
          {call?.parts && (
            <Row term={`parts ${call.parts.length}`}>
              <span class="exirviz-names">
                {call.parts.map((part, i) => (
                  <NodeLink key={part.owner} {...here} node={graph.base + (part.nodes[0] ?? 0)}>
                    <Clip text={partText(snapshot, part, i)} />
                  </NodeLink>
                ))}
              </span>
            </Row>
          )}
          <Row term="nodes">{countText(graph.count)}</Row>
          {delegate && (
            <>
              <Row term="backend">{visible(delegate.backend)}</Row>
              <Row term="blob">
                {delegate.bytes === undefined ? <Absent>unknown size</Absent> : byteText(delegate.bytes)}
              </Row>
              {(delegate.specs ?? []).map(({ key, text, bytes }) => (
                <Row key={key} term={visible(key)}>
                  {text === undefined ? (
                    <Absent>{byteText(bytes)}, not text</Absent>
                  ) : (
                    <code>{visible(text)}</code>
                  )}
                </Row>
              ))}
            </>
          )}
        </Rows>
      </Section>
      <Section title="Ops">
        {graph.count === 0 ? (
          <Absent>The file has no graph for this delegate</Absent>
        ) : (
          <Ops {...here} nodes={nodes} />
        )}
      </Section>
      {delegate && <PayloadSection {...here} detail={detail} graph={graph.number} />}
    </article>
  );
}

/** "2: model.layers.0.mlp", by the number that its box has. */
const partText = (snapshot: Snapshot, { owner }: DelegatePart, i: number): string =>
  `${i + 1}: ${visible(snapshot.scopes[owner]?.path || "outside any module")}`;

export function SeveralPanel({
  nodes,
  title,
  more,
  ...here
}: Here & { nodes: readonly number[]; title: string; more?: string }) {
  const { snapshot } = here;
  const sizes = nodes.map((node) => snapshot.bytes(node));
  const known = sizes.filter((size) => size !== undefined);
  return (
    <article class="exirviz-panel" aria-label={title}>
      <Title title={title} {...(more !== undefined && { more })} />
      <Section title="Values">
        <Rows>
          <Row term="bytes">
            {byteText(known.reduce((sum, size) => sum + size, 0))}
            {known.length < nodes.length && (
              <span class="exirviz-dim">
                {" "}
                + {plural(nodes.length - known.length, "value")} of unknown size
              </span>
            )}
          </Row>
        </Rows>
      </Section>
      <Section title="Ops">
        <Ops {...here} nodes={nodes} />
      </Section>
      <Section title="Nodes" aside={countText(nodes.length)}>
        <div class="exirviz-children">
          <More
            items={nodes}
            first={20}
            of="nodes"
            each={(node) => (
              <div key={node} class="exirviz-row-pair">
                <NodeLink {...here} node={node} />
                <code class="exirviz-dim">{visible(snapshot.valueText(node))}</code>
              </div>
            )}
          />
        </div>
      </Section>
    </article>
  );
}

/** Kinds of op that are named as the ones to fix first; Python sorts them. */
const FIX_FIRST = 3;

/** The rows to fix first: no backend can take what writes results back. */
export const fixFirst = ({ cpu }: Delegation): readonly CpuRow[] =>
  cpu.filter(({ is_write_back: isBack = false }) => !isBack).slice(0, FIX_FIRST);

/** Which backend runs what, and the kinds of op to fix first; the report Delegation has the rest. */
function RunsOnSection({ snapshot, actions, reports }: Pick<PanelProps, "snapshot" | "actions" | "reports">) {
  const delegation = snapshot.skeleton.page?.delegation;
  if (!delegation?.delegates.length || typeof delegation.percent !== "number") return null;
  const { cpu, delegated, delegates, ops, percent } = delegation;
  const first = fixFirst(delegation);
  const backends = new Set(
    snapshot.graphs.flatMap(({ number }) => snapshot.delegateCall(number)?.backend ?? []),
  );
  return (
    <Section title="Runs on">
      <Rows>
        <Row term={visible([...backends].join(", ") || "backend")}>
          {plural(delegated, "op")} ({percent}%) in {plural(delegates.length, "delegate")}
        </Row>
        <Row term="CPU">
          {cpu.length === 0 ? (
            <Absent>none</Absent>
          ) : (
            <Link title="Select these ops" onClick={() => actions.select(cpu.flatMap(({ nodes }) => nodes))}>
              {plural(ops - delegated, "op")}
            </Link>
          )}
        </Row>
        {first.length > 0 && (
          <Row term="fix first">
            {first.map(({ op, reason, nodes }) => (
              <div key={`${op} ${reason}`}>
                <Link title={`Select ${plural(nodes.length, "op")}`} onClick={() => actions.select(nodes)}>
                  <Clip text={op} />
                </Link>{" "}
                <span class="exirviz-dim">×{countText(nodes.length)}</span>
                {reason && <div class="exirviz-dim">{visible(reason)}</div>}
              </div>
            ))}
            {cpu.length > first.length && (
              <Link disabled={!reports} onClick={() => reports?.onOpen("delegation")}>
                {plural(cpu.length - first.length, "more kind")} in the report Delegation
              </Link>
            )}
          </Row>
        )}
      </Rows>
    </Section>
  );
}

/** Nothing is selected: the program itself. */
export function ProgramPanel({
  snapshot,
  detail,
  actions,
  reports,
}: Pick<PanelProps, "snapshot" | "detail" | "actions" | "reports">) {
  const { origin, notices = [] } = snapshot.skeleton;
  const all = useMemo(() => Array.from({ length: snapshot.nodeCount }, (_, node) => node), [snapshot]);
  const { state } = snapshot.skeleton.page ?? {};
  return (
    <article class="exirviz-panel" aria-label="Program">
      <Title title={origin.name || "Program"} more={originText(snapshot)} />
      <Section title="Program">
        <Rows>
          <Row term={snapshot.methods.length > 1 ? "methods" : "method"}>
            <span class="exirviz-names">
              {snapshot.methods.map(({ name, graph }) => (
                <Link key={name} onClick={() => actions.revealGraph(graph)}>
                  <Clip text={name} />
                </Link>
              ))}
            </span>
          </Row>
          <Row term="dialect">{[...new Set(snapshot.methods.map(({ dialect }) => dialect))].join(", ")}</Row>
          <Row term="nodes">
            {countText(snapshot.nodeCount)}
            {snapshot.graphs.length > 1 && ` in ${snapshot.graphs.length} graphs`}
          </Row>
          {state && (
            <Row term="state">
              <ProgramStateText state={state} />
            </Row>
          )}
        </Rows>
        <p class="exirviz-hint">Select a box to inspect it, or press / to search</p>
      </Section>
      <RunsOnSection snapshot={snapshot} actions={actions} reports={reports} />
      <SignatureSection snapshot={snapshot} detail={detail} actions={actions} />
      {notices.length > 0 && (
        <Section title="Notices" aside={countText(notices.length)}>
          <ul class="exirviz-notices">
            <More
              items={notices}
              first={4}
              of="notices"
              each={({ code, text, count = 1 }) => (
                <li key={code + text}>
                  {visible(text)}
                  {count > 1 && <span class="exirviz-dim"> × {count}</span>}
                </li>
              )}
            />
          </ul>
        </Section>
      )}
      <Section title="Ops">
        <Ops snapshot={snapshot} actions={actions} nodes={all} />
      </Section>
    </article>
  );
}

/** Weights that a backend took are no state of the program: "and 88 KB in 14 delegates, weights included". */
function ProgramStateText({ state }: { state: ProgramState }): JSX.Element {
  const { tensors, bytes, delegates = 0, delegate_bytes } = state;
  const own = tensors > 0 && `${plural(tensors, "tensor")}, ${byteText(bytes)}`;
  if (delegates === 0) return own ? <span>{own}</span> : <Absent>none</Absent>;
  const where = plural(delegates, "delegate");
  return (
    <>
      {own}
      <div class="exirviz-dim">
        {own && "and "}
        {delegate_bytes === undefined
          ? `weights in ${where}, of unknown size`
          : `${byteText(delegate_bytes)} in ${where}, weights included`}
      </div>
    </>
  );
}

function originText({ skeleton: { origin } }: Snapshot): string {
  const torch = origin.torch && `torch ${origin.torch}`;
  const executorch = origin.executorch && `ExecuTorch ${origin.executorch}`;
  return [origin.type, torch, executorch].filter(Boolean).join(" · ");
}
