/** A value in full: all facts of a tensor, each part of a tuple. A node without one says so. */
import {
  byteText,
  type NodeValues,
  type Snapshot,
  short,
  shortDtype,
  type TensorValue,
  type Value,
  valueBytes,
} from "../../snapshot";
import { More } from "../../ui/more";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { lastName, visible } from "../../ui/text";

export function ValueSection({
  snapshot,
  node,
  tried,
}: {
  snapshot: Snapshot;
  node: number;
  /** The values for sizes that the user tries. */
  tried?: NodeValues | undefined;
}) {
  const value = snapshot.value(node);
  const { graph, position } = snapshot.locate(node);
  if (!value) {
    const why =
      graph.op(position) === "output"
        ? "Outputs return their arguments and have no value"
        : "No value: runs for its side effects";
    return (
      <Section title="Value">
        <Absent>{why}</Absent>
      </Section>
    );
  }
  const bytes = valueBytes(value);
  return (
    <Section title="Value" {...(bytes !== undefined && { aside: byteText(bytes) })}>
      <ValueRows value={value} />
      {tried?.sizes && (
        <p class="exirviz-hint">
          For the sizes tried: <code>{visible(tried.text(node))}</code>, {tried.byteText(node)}
        </p>
      )}
    </Section>
  );
}

function ValueRows({ value }: { value: Value }) {
  switch (value.kind) {
    case "tensor":
      return <Tensor value={value} />;
    case "sequence":
    case "map": {
      const keys = value.kind === "map" ? (value.keys ?? []) : [];
      return (
        <Rows>
          <More
            items={value.items ?? []}
            first={8}
            of="parts"
            each={(item, i) => (
              <Row key={i} term={visible(keys[i] ?? `${i}`)}>
                <code>{visible(short(item))}</code>
              </Row>
            )}
          />
        </Rows>
      );
    }
    case "symbol":
      return (
        <Rows>
          <Row term={value.type}>
            <code>{visible(value.expr)}</code>
          </Row>
          <Row term="hint">
            {value.hint === undefined ? (
              <Absent>none: unbacked, known only at run time</Absent>
            ) : (
              <code>{visible(value.hint)}</code>
            )}
          </Row>
        </Rows>
      );
    case "literal":
      return (
        <Rows>
          <Row term={value.type}>
            <code>{visible(short(value))}</code>
          </Row>
        </Rows>
      );
    case "object":
      return (
        <Rows>
          <Row term={value.role}>
            <code>{visible(value.cls || value.name || "")}</code>
          </Row>
        </Rows>
      );
  }
}

function Tensor({ value }: { value: TensorValue }) {
  const { dtype, shape, stride, offset = 0, device = "cpu", layout = "strided" } = value;
  return (
    <>
      <p class="exirviz-value">
        <code>{visible(`${shortDtype(dtype)}[${shape.join(", ")}]`)}</code>
        {value.cls && <span class="exirviz-type"> {visible(lastName(value.cls))}</span>}
      </p>
      <div class="exirviz-facts">
        <Fact term="dtype">{dtype}</Fact>
        <Fact term="device">{visible(device)}</Fact>
        <Fact term="strides">{stride ? visible(stride.join(", ") || "none") : <Absent>unknown</Absent>}</Fact>
        <Fact term="layout">{orderText(value)}</Fact>
        <Fact term="dim order">
          {value.dim_order ? value.dim_order.join(", ") || "none" : <Absent>unknown</Absent>}
        </Fact>
        <Fact term="grad">{value.requires_grad ? "required" : "no"}</Fact>
        {offset !== 0 && <Fact term="offset">{visible(String(offset))}</Fact>}
        {layout !== "strided" && <Fact term="storage">{layout}</Fact>}
      </div>
    </>
  );
}

function Fact({ term, children }: { term: string; children: preact.ComponentChildren }) {
  return (
    <div class="exirviz-value-fact">
      <span>{term}</span>
      <span>{children}</span>
    </div>
  );
}

/** The memory order in a word: contiguous, channels last, permuted; another layout by its name. */
function orderText({ layout = "strided", dim_order: order, shape }: TensorValue): string {
  if (layout !== "strided") return layout;
  if (!order) return "strided";
  if (order.every((dim, i) => dim === i)) return "contiguous";
  const last = [0, ...Array.from({ length: Math.max(0, shape.length - 2) }, (_, i) => i + 2), 1];
  return shape.length >= 4 && order.join() === last.join() ? "channels last" : "permuted";
}
