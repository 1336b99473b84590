/** The signature of the graph that is shown: inputs and outputs by kind, what each reads or writes. */
import type { JSX } from "preact";
import type { InputSpec, OutputSpec } from "../snapshot";
import { useExplorer, usePart } from "./context";
import { NodeLink, Nothing, Section } from "./parts";

/** Rows of one kind before the rest is folded away. */
const MOST = 40;

export function SignaturePanel(): JSX.Element {
  const graph = usePart((state) => state.picture.graph);
  const signature = graph.columns.signature;
  if (!signature)
    return (
      <Nothing>
        This graph has no signature: it is{" "}
        {graph.columns.type === "method" ? "a plain graph" : `a ${graph.columns.type}`}.
      </Nothing>
    );
  const inputs = signature.inputs ?? [];
  const outputs = signature.outputs ?? [];
  return (
    <>
      <Kinds title="Inputs" specs={inputs} />
      <Kinds title="Outputs" specs={outputs} />
    </>
  );
}

function Kinds({ title, specs }: { title: string; specs: readonly (InputSpec | OutputSpec)[] }): JSX.Element {
  const kinds = [...new Set(specs.map((spec) => spec.kind))];
  if (specs.length === 0)
    return (
      <Section title={title}>
        <Nothing>None.</Nothing>
      </Section>
    );
  return (
    <>
      {kinds.map((kind) => {
        const rows = specs.filter((spec) => spec.kind === kind);
        return (
          <Section key={kind} title={`${title} · ${kind.replaceAll("_", " ")} (${rows.length})`}>
            <Rows specs={rows.slice(0, MOST)} />
            {rows.length > MOST && (
              <details class="exirviz-more">
                <summary>{rows.length - MOST} more</summary>
                <Rows specs={rows.slice(MOST)} />
              </details>
            )}
          </Section>
        );
      })}
    </>
  );
}

function Rows({ specs }: { specs: readonly (InputSpec | OutputSpec)[] }): JSX.Element {
  const { snapshot } = useExplorer();
  const graph = usePart((state) => state.picture.graph);
  return (
    <table class="exirviz-table">
      <tbody>
        {specs.map((spec, i) => {
          const position = graph.position(spec.arg.name);
          const node = position === undefined ? -1 : graph.base + position;
          return (
            <tr key={i}>
              <td>
                {node >= 0 ? <NodeLink node={node} /> : <code>{spec.arg.name || spec.arg.value?.text}</code>}
                {(spec.target ?? spec.path) && <div class="exirviz-dim">{spec.target ?? spec.path}</div>}
              </td>
              <td>
                <code>{node >= 0 ? snapshot.valueText(node) : spec.arg.type}</code>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
