/** Which sizes may vary: symbols with sliders, dimensions of inputs, conditions, asserts, and all shapes. */
import { useMemo, useState } from "preact/hooks";
import { grouped } from "../../snapshot";
import { More } from "../../ui/more";
import { Section } from "../../ui/section";
import { DetailWait } from "../../ui/states";
import { visible } from "../../ui/text";
import type { PanelProps } from "../actions";
import { useAnalysis } from "../detail";
import { MethodChoice } from "../method_choice";
import { Asserts, Conditions, Relations } from "./conditions";
import { Dimensions } from "./dimensions";
import { assertNodes, shapeCounts, symbolCounts } from "./facts";
import { PythonValues } from "./python_values";
import { Symbols } from "./symbols";

export function ShapesPanel({ snapshot, actions, detail, whatIf }: PanelProps) {
  const [method, setMethod] = useState(0);
  const record = snapshot.methods[method];
  const here = { snapshot, actions };
  const counts = useMemo(() => symbolCounts(snapshot, method), [snapshot, method]);
  const asserts = useMemo(() => assertNodes(snapshot, method), [snapshot, method]);
  const analysis = useAnalysis(snapshot);
  if (!record) return null;
  const symbols = (record.symbols ?? []).map((symbol) => ({
    ...symbol,
    name: snapshot.userNames.get(symbol.name) ?? symbol.name,
  }));
  const shapes = snapshot.skeleton.page?.shapes?.[method];
  const ready = detail.state === "ready" ? detail.detail : undefined;
  return (
    <article class="exirviz-panel" aria-label="Shapes">
      {snapshot.methods.length > 1 && (
        <div class="exirviz-bar-top">
          <MethodChoice snapshot={snapshot} method={method} onMethod={setMethod} />
        </div>
      )}
      <Symbols key={method} {...here} {...{ method, symbols, shapes, counts, whatIf }} />
      {shapes && <Dimensions {...here} dimensions={shapes.dimensions ?? []} whatIf={whatIf} />}
      {analysis && <PythonValues {...here} analysis={analysis} />}
      {shapes && <Relations sizes={shapes.sizes ?? []} whatIf={whatIf} />}
      {shapes && <Conditions conditions={shapes.conditions ?? []} />}
      {asserts.length > 0 && !ready && <DetailWait detail={detail} what="Messages of asserts" />}
      {asserts.length > 0 && <Asserts {...here} nodes={asserts} detail={ready} />}
      <Values snapshot={snapshot} actions={actions} method={method} />
    </article>
  );
}

function Values({
  snapshot,
  actions,
  method,
}: Pick<PanelProps, "snapshot" | "actions"> & { method: number }) {
  const shapes = useMemo(() => shapeCounts(snapshot, method), [snapshot, method]);
  const most = shapes[0]?.count ?? 1;
  return (
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
  );
}
