/** The role of an input: its kind, the state it reads, who writes it, whose memory it shares. */

import { mutatedNodes, sharedWith } from "../../search";
import { byteText, type InputSpec, isMutation, type StateEntry } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { visible } from "../../ui/text";

export function Role({ node, ...here }: Here & { node: number }) {
  const { snapshot } = here;
  const { graph } = snapshot.locate(node);
  const spec = snapshot.inputSpec(node);
  if (!spec) {
    return (
      <Section title="Role">
        <Absent>
          {graph.columns.signature
            ? "Not in the signature"
            : "Operand of a nested graph, passed by the op that calls it"}
        </Absent>
      </Section>
    );
  }
  const entry = spec.target === undefined ? undefined : snapshot.state(spec.target);
  return (
    <Section title="Role" aside={spec.kind.replaceAll("_", " ")}>
      <Rows>
        <Row term="path">{where(spec)}</Row>
        {spec.target !== undefined && (
          <Row term="target">
            <Clip text={spec.target} />
          </Row>
        )}
        {spec.persistent !== undefined && (
          <Row term="persistent">
            {spec.persistent ? "yes, in the state_dict" : "no, not in the state_dict"}
          </Row>
        )}
        {mutatedNodes(snapshot).has(node) && <Row term="mutated by">{writers(here, spec)}</Row>}
        {spec.arg.value && (
          <Row term="constant">
            <code>{visible(spec.arg.value.text)}</code> <span class="exirviz-type">specialized</span>
          </Row>
        )}
        {entry && <Entry {...here} entry={entry} />}
        {spec.target !== undefined && !entry && (
          <Row term="state">
            <Absent>not listed by the program</Absent>
          </Row>
        )}
      </Rows>
    </Section>
  );
}

const where = (spec: InputSpec) =>
  spec.path === undefined ? (
    <Absent>{spec.kind === "user_input" ? "unknown" : "not a user input"}</Absent>
  ) : (
    <code>{visible(spec.path)}</code>
  );

/** The nodes that the signature writes into it. */
function writers(here: Here, spec: InputSpec) {
  const { snapshot } = here;
  return snapshot.graphs.flatMap((graph) =>
    (graph.columns.signature?.outputs ?? [])
      .filter(
        (output) =>
          isMutation(output) && (output.target === spec.arg.name || output.target === (spec.target ?? "")),
      )
      .flatMap(({ arg }) => {
        const position = graph.position(arg.name);
        return position === undefined
          ? []
          : [<NodeLink key={arg.name} {...here} node={graph.base + position} />];
      }),
  );
}

function Entry({ entry, ...here }: Here & { entry: StateEntry }) {
  const others = sharedWith(here.snapshot, entry);
  return (
    <>
      <Row term="bytes">{entry.bytes === undefined ? <Absent>unknown</Absent> : byteText(entry.bytes)}</Row>
      {entry.cls && (
        <Row term="class">
          <code>{visible(entry.cls)}</code>
        </Row>
      )}
      <Row term="memory">
        {others.length === 0 ? (
          <span class="exirviz-dim">not shared</span>
        ) : (
          <>
            shared with{" "}
            <More
              items={others}
              first={3}
              of=""
              each={(other) => <State key={other.name} {...here} name={other.name} />}
            />
          </>
        )}
      </Row>
      {entry.data && (
        <Row term="data">
          <code class="exirviz-wrap">{visible(entry.data.join(", "))}</code>
        </Row>
      )}
    </>
  );
}

/** A piece of state by name: a link if an input reads it. */
function State({ name, ...here }: Here & { name: string }) {
  for (const graph of here.snapshot.graphs) {
    const spec = graph.columns.signature?.inputs?.find((each) => each.target === name);
    const position = spec && graph.position(spec.arg.name);
    if (position !== undefined) {
      return (
        <NodeLink {...here} node={graph.base + position}>
          <Clip text={name} />
        </NodeLink>
      );
    }
  }
  return <Clip text={name} />;
}
