/** Where the memory plan puts a node's values, and meta fields without their own section. */
import { byteText, type Detail, grouped, type MemorySpec, NONE, shortDtype } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { NodeLink } from "../../ui/links";
import { Row, Rows, Section } from "../../ui/section";
import { visible } from "../../ui/text";

type Props = Here & { readonly detail: Detail; readonly node: number };

/** Nothing if the program has no memory plan: only the last stage has one. */
export function Memory({ detail, node, ...here }: Props) {
  const { graph, position } = here.snapshot.locate(node);
  const specs = detail.spec_lists?.[detail.graphs[graph.number]?.specs[position] ?? NONE] ?? [];
  if (specs.length === 0) return null;
  return (
    <Section title="Memory plan">
      {specs.map((spec, i) => (
        <Rows key={i}>
          <Spec {...here} spec={spec} base={graph.base} count={graph.count} />
        </Rows>
      ))}
    </Section>
  );
}

function Spec({ spec, base, count, ...here }: Here & { spec: MemorySpec; base: number; count: number }) {
  const [from, to] = spec.lifetime ?? [NONE, NONE];
  return (
    <>
      <Row term="value">
        <code>{visible(`${shortDtype(spec.dtype)}[${spec.shape.join(", ")}]`)}</code>{" "}
        <span class="exirviz-type">
          {[spec.dynamism ?? "static", spec.const && "const"].filter(Boolean).join(", ")}
        </span>
      </Row>
      <Row term="memory">
        {spec.mem_id === undefined ? <span class="exirviz-absent">not planned</span> : `arena ${spec.mem_id}`}
        {spec.offset !== undefined && ` at offset ${grouped(spec.offset)}`}
        {spec.bytes !== undefined && `, ${byteText(spec.bytes)}`}
      </Row>
      {from >= 0 && to < count && (
        <Row term="lifetime">
          <NodeLink {...here} node={base + from} /> to <NodeLink {...here} node={base + to} />
        </Row>
      )}
    </>
  );
}

export function Extras({ snapshot, detail, node }: Props) {
  const { graph, position } = snapshot.locate(node);
  const extras = detail.extras?.[detail.graphs[graph.number]?.extras[position] ?? NONE] ?? [];
  if (extras.length === 0) return null;
  return (
    <Section title="Other metadata">
      <Rows>
        {extras.map(({ name, type, text }) => (
          <Row key={name} term={visible(name)}>
            {text !== undefined && <code class="exirviz-wrap">{visible(text)} </code>}
            <span class="exirviz-type">{visible(type)}</span>
          </Row>
        ))}
      </Rows>
    </Section>
  );
}
