/** Symbols with their ranges, bindings and asserts, and all shapes. */
import { useMemo, useState } from "preact/hooks";
import { type Detail, grouped, NONE, type Symbol as Sym } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { DetailWait } from "../../ui/states";
import { visible } from "../../ui/text";
import type { PanelProps } from "../actions";
import { MethodChoice } from "../method_choice";
import { assertNodes, bound, shapeCounts } from "./facts";

export function ShapesPanel({ snapshot, actions, detail }: PanelProps) {
  const [method, setMethod] = useState(0);
  const record = snapshot.methods[method];
  const here = { snapshot, actions };
  const shapes = useMemo(() => shapeCounts(snapshot, method), [snapshot, method]);
  const asserts = useMemo(() => assertNodes(snapshot, method), [snapshot, method]);
  if (!record) return null;
  const { symbols = [], ranges = [] } = record;
  const ready = detail.state === "ready" ? detail.detail : undefined;
  const most = shapes[0]?.count ?? 1;
  return (
    <article class="exirviz-panel" aria-label="Shapes">
      {snapshot.methods.length > 1 && (
        <div class="exirviz-bar-top">
          <MethodChoice snapshot={snapshot} method={method} onMethod={setMethod} />
        </div>
      )}
      <Section title="Symbols" aside={symbols.length || undefined}>
        {symbols.length === 0 && (
          <Absent>All shapes are static. Use dynamic_shapes for symbolic sizes.</Absent>
        )}
        {symbols.map((symbol) => (
          <SymbolCard key={symbol.name} {...here} symbol={symbol} graph={record.graph} />
        ))}
      </Section>
      {ranges.length > 0 && (
        <Section title="Range constraints" aside={ranges.length}>
          <Rows>
            {ranges.map(({ expr, lower, upper }) => (
              <Row key={expr} term={visible(expr)}>
                <code>
                  {visible(bound(lower))} … {visible(bound(upper))}
                </code>
              </Row>
            ))}
          </Rows>
        </Section>
      )}
      {ready ? (
        <Guards guards={ready.methods[method]?.guards ?? []} />
      ) : (
        <DetailWait detail={detail} what="Guards and asserts" />
      )}
      {(symbols.length > 0 || asserts.length > 0) && (
        <Section title="Run-time asserts" aside={asserts.length || undefined}>
          {asserts.length === 0 && <Absent>None</Absent>}
          <div class="exirviz-children">
            <More
              items={asserts}
              first={5}
              of="asserts"
              each={(node) => (
                <div key={node} class="exirviz-assert">
                  <NodeLink {...here} node={node} />
                  {ready && <Said {...here} detail={ready} node={node} />}
                </div>
              )}
            />
          </div>
        </Section>
      )}
      <Section title="Distinct values" aside={grouped(shapes.length)}>
        <div class="exirviz-bars">
          <More
            items={shapes}
            first={14}
            of="values"
            each={({ text, query, count, isSymbolic }) => (
              <button
                key={text}
                type="button"
                class="exirviz-bar-row"
                title={`Find ${query}`}
                onClick={() => actions.search(query)}
              >
                <span class="exirviz-bar-name">
                  <code class={isSymbolic ? "exirviz-symbolic" : ""}>{visible(text)}</code>
                </span>
                <span class="exirviz-bar-track">
                  <span style={{ width: `${(100 * count) / most}%` }} />
                </span>
                <span class="exirviz-bar-count">{grouped(count)}</span>
              </button>
            )}
          />
        </div>
      </Section>
    </article>
  );
}

function SymbolCard({ symbol, graph, ...here }: Here & { symbol: Sym; graph: number }) {
  const { snapshot, actions } = here;
  const { type, backed, lower, upper, hint, bindings = [] } = symbol;
  const name = snapshot.userNames.get(symbol.name) ?? symbol.name;
  return (
    <div class="exirviz-symbol">
      <div class="exirviz-symbol-head">
        <button
          type="button"
          class="exirviz-link"
          title="Find values that use this symbol"
          onClick={() => actions.search(`symbol:${name}`)}
        >
          <code>{visible(name)}</code>
        </button>
        {name !== symbol.name && (
          <span class="exirviz-type" title="Name in torch">
            {visible(symbol.name)}
          </span>
        )}
        <span class="exirviz-type">{type}</span>
        <span
          class="exirviz-badge"
          title={backed ? "known from the example inputs" : "known only at run time"}
        >
          {backed ? "backed" : "unbacked"}
        </span>
        <code class="exirviz-range">
          {visible(bound(lower))} … {visible(bound(upper))}
        </code>
      </div>
      <Rows>
        <Row term="hint">{hint === undefined ? <Absent>none</Absent> : <code>{visible(hint)}</code>}</Row>
        <Row term="bound by">
          {bindings.length === 0 && <Absent>no node</Absent>}
          <span class="exirviz-names">
            {bindings.map(({ node, path }) => {
              const position = snapshot.graph(graph).position(node);
              return (
                <span key={node + path}>
                  {position === undefined ? (
                    <Clip text={node} />
                  ) : (
                    <NodeLink {...here} node={snapshot.graph(graph).base + position} />
                  )}
                  <code class="exirviz-dim">.{visible(path)}</code>
                </span>
              );
            })}
          </span>
        </Row>
      </Rows>
    </div>
  );
}

function Guards({ guards }: { guards: readonly string[] }) {
  return (
    <Section title="Guards" aside={guards.length || undefined}>
      {guards.length === 0 && <Absent>None</Absent>}
      <ul class="exirviz-guards">
        <More
          items={guards}
          first={6}
          of="guards"
          each={(guard) => (
            <li key={guard}>
              <code class="exirviz-wrap">{visible(guard)}</code>
            </li>
          )}
        />
      </ul>
    </Section>
  );
}

/** The message of a failing assert. */
function Said({ snapshot, detail, node }: Here & { detail: Detail; node: number }) {
  const { graph, position } = snapshot.locate(node);
  const call = detail.calls?.[detail.graphs[graph.number]?.calls[position] ?? NONE];
  const text = [...(call?.args ?? []), ...(call?.values ?? [])].find(
    (arg) => arg.kind === "literal" && arg.type === "str",
  );
  return text?.kind === "literal" ? <p class="exirviz-dim">{visible(text.text)}</p> : null;
}
