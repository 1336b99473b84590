/** What the backend made of a delegate: the ops and tensors in its payload, linked to the program's nodes. */
import {
  byteText,
  type Detail,
  type Payload,
  type PayloadOp,
  type PayloadTensor,
  shortDtype,
} from "../../snapshot";
import type { DetailState, Here } from "../../ui/actions";
import { NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { DetailWait } from "../../ui/states";
import { plural, visible } from "../../ui/text";

const FIRST_OPS = 12;
const FIRST_NODES = 6;

export function PayloadSection({ detail, graph, ...here }: Here & { detail: DetailState; graph: number }) {
  if (detail.state !== "ready") {
    return (
      <Section title="Payload">
        <DetailWait detail={detail} what="The payload" />
      </Section>
    );
  }
  const payload = payloadOf(detail.detail, graph);
  if (!payload || payload.problem) {
    return (
      <Section title="Payload">
        {payload?.problem ? (
          <p class="exirviz-hint">Not readable: {visible(payload.problem)}</p>
        ) : (
          <Absent>No installed package reads this backend's format</Absent>
        )}
      </Section>
    );
  }
  return <PayloadGraph {...here} payload={payload} graph={graph} />;
}

function PayloadGraph({ payload, graph: number, ...here }: Here & { payload: Payload; graph: number }) {
  const { ops = [], tensors = [] } = payload;
  const graph = here.snapshot.graph(number);
  const constants = tensors.filter(({ role }) => role === "constant");
  const bytes = constants.reduce((sum, each) => sum + (each.bytes ?? 0), 0);
  const makers = makersOf(ops);
  const linked = new Set(ops.flatMap(({ nodes = [] }) => nodes));
  const fused = Array.from({ length: graph.count }, (_, position) => position).filter(
    (position) => graph.computes(position) && !linked.has(position),
  );
  return (
    <Section title="Payload" aside={visible(payload.format)}>
      <Rows>
        <Row term="ops">{plural(ops.length, "op")}, in the order in which they run</Row>
        <Row term="constants">
          {constants.length === 0 ? (
            <Absent>none</Absent>
          ) : (
            `${plural(constants.length, "tensor")}, ${byteText(bytes)}`
          )}
        </Row>
        {payload.reader !== "exir-viz" && <Row term="read by">{visible(payload.reader)}</Row>}
        {fused.length > 0 && (
          <Row term="fused" note="Nodes without an op of their own in the payload">
            <span class="exirviz-names">
              <More
                items={fused}
                first={FIRST_NODES}
                of="nodes"
                each={(position) => <NodeLink key={position} {...here} node={graph.base + position} />}
              />
            </span>
          </Row>
        )}
      </Rows>
      <ol class="exirviz-payload-ops">
        <More
          items={ops}
          first={FIRST_OPS}
          of="ops"
          each={(op, at) => (
            <li key={at}>
              <Op {...here} op={op} at={at} tensors={tensors} makers={makers} base={graph.base} />
            </li>
          )}
        />
      </ol>
      {graph.count === 0 && (
        <p class="exirviz-hint">A .pte does not say which nodes these ops were made from.</p>
      )}
    </Section>
  );
}

function Op({
  op,
  at,
  tensors,
  makers,
  base,
  ...here
}: Here & {
  op: PayloadOp;
  at: number;
  tensors: readonly PayloadTensor[];
  makers: ReadonlyMap<number, number>;
  base: number;
}) {
  const { type, inputs, outputs, options = [], nodes = [], evidence, handle } = op;
  return (
    <>
      <div class="exirviz-report-head">
        <b>
          {at + 1} {visible(type)}
        </b>
        <span class="exirviz-dim">{outputs.map((each) => typeText(tensors[each])).join(", ")}</span>
      </div>
      {inputs.map((each, i) => (
        <div key={i} class="exirviz-dim">
          ← {originText(each, tensors, makers)} {typeText(tensors[each])}
        </div>
      ))}
      {outputs.map((each) => {
        const text = quantizationText(tensors[each]);
        return text && <div key={each}>→ {text}</div>;
      })}
      {options.length > 0 && (
        <div class="exirviz-dim">
          {visible(options.map(({ name, text }) => `${name} ${text}`).join(", "))}
        </div>
      )}
      {nodes.length > 0 && (
        <div>
          from{" "}
          <span class="exirviz-names">
            {nodes.map((position) => (
              <NodeLink key={position} {...here} node={base + position} />
            ))}
          </span>{" "}
          <span class="exirviz-dim">
            by {evidence === "debug handle" ? `debug handle ${handle}` : evidence}
          </span>
        </div>
      )}
    </>
  );
}

/** The ops of a payload that were made from one node; nothing outside delegates. */
export function PayloadRow({
  detail,
  node,
  snapshot,
}: Pick<Here, "snapshot"> & { detail: DetailState; node: number }) {
  if (detail.state !== "ready") return null;
  const { graph, position } = snapshot.locate(node);
  const { ops = [], tensors = [] } = payloadOf(detail.detail, graph.number) ?? {};
  const made = ops.map((op, at) => ({ op, at })).filter(({ op }) => op.nodes?.includes(position));
  if (made.length === 0) return null;
  const sharing = Math.max(...made.map(({ op }) => op.nodes?.length ?? 0));
  const isShared = made.length > 1 && sharing > 1;
  const note = isShared
    ? `${sharing} nodes and these ops have one debug handle: the payload does not say which op is of which node`
    : `Linked by ${made[0]?.op.evidence}`;
  return (
    <Row term="payload op" note={note}>
      {isShared && <div class="exirviz-dim">some of these:</div>}
      {made.map(({ op, at }) => (
        <div key={at}>
          {at + 1} {visible(op.type)}{" "}
          <span class="exirviz-dim">{op.outputs.map((each) => typeText(tensors[each])).join(", ")}</span>
        </div>
      ))}
    </Row>
  );
}

const payloadOf = (detail: Detail, graph: number): Payload | undefined => detail.graphs[graph]?.payload;

/** Which op made a tensor, by positions. */
function makersOf(ops: readonly PayloadOp[]): ReadonlyMap<number, number> {
  return new Map(ops.flatMap(({ outputs }, at) => outputs.map((each) => [each, at] as const)));
}

/** "constant, per channel, 8 scales, axis 0" or "2 Convert". */
function originText(
  at: number,
  tensors: readonly PayloadTensor[],
  makers: ReadonlyMap<number, number>,
): string {
  const tensor = tensors[at];
  const maker = makers.get(at);
  if (maker !== undefined) return `op ${maker + 1}`;
  const text = quantizationText(tensor);
  return [tensor?.role ?? "", text].filter(Boolean).join(", ");
}

/** "per tensor, scale 0.0039, zero point -128"; empty for floats. */
function quantizationText(tensor: PayloadTensor | undefined): string {
  const found = tensor?.quantization;
  if (!found) return "";
  const { scheme, scales = [], zero_points: zeros = [], count = 0, axis, block } = found;
  const first = scales[0];
  return [
    visible(scheme),
    count === 1 && first !== undefined ? `scale ${first.toPrecision(4)}` : count > 1 ? `${count} scales` : "",
    zeros.length === 1 ? `zero point ${zeros[0]}` : "",
    axis === undefined ? "" : `axis ${axis}`,
    block === undefined ? "" : `blocks of ${block}`,
  ]
    .filter(Boolean)
    .join(", ");
}

const typeText = (tensor: PayloadTensor | undefined): string =>
  tensor ? visible(`${shortDtype(tensor.dtype)}[${tensor.shape.join(", ")}]`) : "";
