/** The inspector of one node: everything that the Snapshot has about it. */
import { NodeCost } from "../../profile/view";
import { NodeFindings, RULES_REPORT, ruleFindings, useReports } from "../../reports";
import { grouped, KINDS, opName, type Snapshot } from "../../snapshot";
import type { Actions } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Copy } from "../../ui/copy";
import { Breadcrumb, GraphLink, NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { DetailWait } from "../../ui/states";
import { visible } from "../../ui/text";
import type { PanelProps } from "../actions";
import { PayloadRow, PayloadSection } from "../payload/section";
import { AboutOp } from "./about_op";
import { Arguments } from "./arguments";
import { EdgeDtypes } from "./edge_dtypes";
import { Lineage } from "./lineage";
import { Extras, Memory } from "./memory";
import { Role } from "./role";
import { Source } from "./source";
import { ValueSection } from "./value";

export function NodePanel({
  snapshot,
  actions,
  detail,
  node,
  stages,
  costs,
  whatIf,
  reports,
}: Omit<PanelProps, "selection"> & { node: number }) {
  const here = { snapshot, actions };
  const { graph, position } = snapshot.locate(node);
  const ready = detail.state === "ready" ? detail.detail : undefined;
  const isInput = graph.op(position) === "placeholder";
  const findings = ruleFindings(useReports(snapshot));
  return (
    <article class="exirviz-panel" aria-label={`Node ${graph.name(position)}`}>
      <Head {...here} node={node} />
      <ValueSection snapshot={snapshot} node={node} tried={whatIf?.values} />
      {isInput && <Role {...here} node={node} />}
      {ready && !isInput && <Arguments {...here} detail={ready} node={node} />}
      <Around {...here} detail={detail} node={node} />
      {graph
        .subgraphsOf(position)
        .map(
          (each) =>
            snapshot.graph(each).columns.delegate && (
              <PayloadSection key={each} {...here} detail={detail} graph={each} />
            ),
        )}
      <NodeFindings {...{ findings, node }} onOpen={reports && (() => reports.onOpen(RULES_REPORT))} />
      <EdgeDtypes snapshot={snapshot} node={node} />
      {costs?.profile && <NodeCost profile={costs.profile} node={node} />}
      {ready ? (
        <>
          <Source {...here} detail={ready} node={node} />
          <Lineage {...here} detail={ready} node={node} stages={stages} />
          <AboutOp {...here} node={node} stages={stages} />
          <Memory {...here} detail={ready} node={node} />
          <Extras {...here} detail={ready} node={node} />
        </>
      ) : (
        <DetailWait detail={detail} what="Arguments and source" />
      )}
    </article>
  );
}

/** The delegate that runs an op, or why none does; nothing if the program has no delegates. */
function RunsOn({ snapshot, actions, node }: Pick<PanelProps, "snapshot" | "actions"> & { node: number }) {
  const delegation = snapshot.skeleton.page?.delegation;
  if (!delegation) return null;
  const { graph } = snapshot.locate(node);
  const name = snapshot.delegateCall(graph.number)?.name;
  const row = delegation.cpu.find(({ nodes }) => nodes.includes(node));
  if (!name && !row) return null;
  return (
    <Row term="runs on">
      {name ? (
        <GraphLink snapshot={snapshot} actions={actions} graph={graph.number} />
      ) : (
        <>
          CPU
          <div class="exirviz-dim">
            {row?.reason ? `Not delegated: ${visible(row.reason)}` : "No reason recorded"}
          </div>
        </>
      )}
    </Row>
  );
}

/** Its users, its graphs, and its module. */
function Around({
  node,
  detail,
  ...here
}: Pick<PanelProps, "snapshot" | "actions" | "detail"> & { node: number }) {
  const { snapshot } = here;
  const { graph, position } = snapshot.locate(node);
  const users = Array.from(graph.usersOf(position), (user) => graph.base + user);
  const subgraphs = graph.subgraphsOf(position);
  const scope = snapshot.ownerOf(node);
  const isInferred = snapshot.placement(graph).isInferred(position);
  return (
    <Section title="In the graph">
      <Rows>
        <RunsOn {...here} node={node} />
        <PayloadRow snapshot={snapshot} detail={detail} node={node} />
        <Row term={users.length > 1 ? `users ${users.length}` : "users"}>
          {users.length === 0 && <Absent>{graph.op(position) === "output" ? "the caller" : "none"}</Absent>}
          <span class="exirviz-names">
            <More
              items={users}
              first={6}
              of=""
              each={(user) => <NodeLink key={user} {...here} node={user} />}
            />
          </span>
        </Row>
        <Row term="module">
          {scope >= 0 ? (
            <>
              <Breadcrumb {...here} graph={graph.number} scope={scope} />
              {isInferred && (
                <span
                  class="exirviz-dim"
                  title="Inferred from inputs and users: the program names no module here"
                >
                  {" "}
                  inferred
                </span>
              )}
            </>
          ) : (
            <Absent>outside any module</Absent>
          )}
        </Row>
        {subgraphs.length > 0 && (
          <Row term="subgraphs">
            <span class="exirviz-names">
              {subgraphs.map((each) => (
                <GraphLink key={each} {...here} graph={each} />
              ))}
            </span>
          </Row>
        )}
        <Row term="position">
          {grouped(position + 1)} of {grouped(graph.count)}
          {snapshot.graphs.length > 1 && <span class="exirviz-dim"> in {graph.path}</span>}
        </Row>
      </Rows>
    </Section>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  placeholder: "graph input",
  output: "graph output",
  get_attr: "reads an attribute",
  call_module: "calls a module",
  call_method: "calls a method",
};

/** The top of a node's panel: kind, name, op with its schema; name and id to copy. */
function Head({ snapshot, actions, node }: { snapshot: Snapshot; actions: Actions; node: number }) {
  const { graph, position } = snapshot.locate(node);
  const target = graph.target(position);
  const name = graph.name(position);
  const word = WORDS[graph.op(position)];
  const kind = snapshot.kind(node);
  // An input's target is its name.
  const isNamedAlike = word !== undefined && target.text === name;
  return (
    <header class="exirviz-head">
      <div class="exirviz-head-line">
        <span class="exirviz-kind-dot" style={{ background: KINDS[kind].color }} title={KINDS[kind].title} />
        <h3>
          <Clip text={name} />
        </h3>
        <Copy actions={actions} text={name} what="name" />
        <Copy actions={actions} text={snapshot.id(node)} what="id" />
      </div>
      <p class="exirviz-schema">
        {!isNamedAlike && visible(target.schema ? schemaText(target.schema, opName(target)) : opName(target))}
        {word && <span class="exirviz-words">{isNamedAlike ? word : ` ${word}`}</span>}
      </p>
    </header>
  );
}

/** "aten.mm.default(Tensor self, Tensor mat2) → Tensor". */
const schemaText = (schema: string, name: string): string => {
  const open = schema.indexOf("(");
  return open < 0 ? schema : `${name}${schema.slice(open).replace(/\)\s*->\s*/, ") → ")}`;
};
