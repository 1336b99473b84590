/** The inspector of a module call: class, path, content, identical and similar siblings. */
import { useMemo } from "preact/hooks";
import { ModuleCost } from "../profile/view";
import { byteText, countText } from "../snapshot";
import type { Selection } from "../ui/actions";
import { Clip } from "../ui/clip";
import { Copy } from "../ui/copy";
import { Breadcrumb, Link } from "../ui/links";
import { More } from "../ui/more";
import { Absent, Row, Rows, Section } from "../ui/section";
import { lastName, plural, visible } from "../ui/text";
import type { PanelProps } from "./actions";
import { moduleFacts, stateOf } from "./modules";
import { Ops } from "./op_bars";

type Props = Pick<PanelProps, "snapshot" | "actions" | "costs"> & {
  readonly selection: Extract<Selection, { kind: "module" }>;
};

export function ModulePanel({ snapshot, actions, selection, costs }: Props) {
  const { graph, scope, equal = [], similar = [] } = selection;
  const { path = "", cls = "", call = 0, parent = -1 } = snapshot.scopes[scope] ?? {};
  const states = useMemo(() => stateOf(snapshot, graph), [snapshot, graph]);
  const facts = useMemo(() => moduleFacts(snapshot, graph, scope, states), [snapshot, graph, scope, states]);
  const backend = snapshot.graphs[graph]?.columns.delegate?.backend;
  const siblings = equal.filter((each) => each !== scope);
  const title = path || "the whole model";
  const link = (to: number, text: string) => (
    <Link key={to} onClick={() => actions.revealModule(graph, to)}>
      <Clip text={text} />
    </Link>
  );
  const named = (scopes: readonly number[]) => (
    <More items={scopes} first={4} of="" each={(each) => link(each, snapshot.scopes[each]?.path ?? "")} />
  );
  return (
    <article class="exirviz-panel" aria-label={`Module ${title}`}>
      <header class="exirviz-head">
        <div class="exirviz-head-line">
          <h3>
            <Clip text={title} />
          </h3>
          {path && <Copy actions={actions} text={path} what="path" />}
        </div>
        <p class="exirviz-schema">
          <Clip text={cls} />
        </p>
      </header>
      <Section title="Module">
        <Rows>
          <Row term="parent">
            {parent < 0 ? (
              <Absent>none (top level)</Absent>
            ) : (
              <Breadcrumb {...{ snapshot, actions, graph }} scope={parent} />
            )}
          </Row>
          <Row term="ops">
            {countText(facts.ops)}{" "}
            <button type="button" class="exirviz-quiet" onClick={() => actions.select(facts.nodes)}>
              Select {plural(facts.nodes.length, "node")}
            </button>
          </Row>
          {backend === undefined ? (
            <>
              <Row term="parameters">
                {facts.parameters ? countText(facts.parameters) : <Absent>none</Absent>}
              </Row>
              <Row term="state" note="Parameters, buffers and constants, including those in delegates">
                {facts.bytes ? byteText(facts.bytes) : <Absent>none</Absent>}
              </Row>
            </>
          ) : (
            <Row term="state">
              <Absent>{`unknown: weights are inside the ${visible(backend)} delegate`}</Absent>
            </Row>
          )}
          <Row term="calls">
            {facts.calls.length === 1 ? (
              "once"
            ) : (
              <span class="exirviz-names">
                {`call ${call + 1} of ${facts.calls.length}; others: `}
                {facts.calls
                  .filter((each) => each !== scope)
                  .map((each) => link(each, `call ${(snapshot.scopes[each]?.call ?? 0) + 1}`))}
              </span>
            )}
          </Row>
          <Row term="identical">
            {siblings.length === 0 ? (
              <Absent>no siblings</Absent>
            ) : (
              <span class="exirviz-names">
                {`1 of ${siblings.length + 1}: `}
                {named(siblings)}
              </span>
            )}
          </Row>
          {similar.length > 0 && (
            <Row term="similar">
              <span class="exirviz-names">
                {named(similar)}
                <span class="exirviz-dim">same ops, different shapes or parameters</span>
              </span>
            </Row>
          )}
        </Rows>
      </Section>
      {costs?.profile && <ModuleCost {...{ snapshot, actions, graph, scope }} profile={costs.profile} />}
      <Section
        title="Submodules"
        aside={facts.children.length > 0 ? plural(facts.children.length, "module") : undefined}
      >
        {facts.children.length === 0 && <Absent>None, only ops</Absent>}
        <div class="exirviz-children">
          <More
            items={facts.children}
            first={10}
            of="modules"
            each={(child) => {
              const inner = snapshot.scopes[child];
              const name = inner?.path ?? "";
              return (
                <div key={child} class="exirviz-row-pair">
                  {link(child, path && name.startsWith(`${path}.`) ? name.slice(path.length + 1) : name)}
                  <span class="exirviz-dim">
                    <Clip text={lastName(inner?.cls ?? "")} />
                  </span>
                </div>
              );
            }}
          />
        </div>
      </Section>
      <Section title="Ops">
        <Ops snapshot={snapshot} actions={actions} nodes={facts.nodes} />
      </Section>
    </article>
  );
}
