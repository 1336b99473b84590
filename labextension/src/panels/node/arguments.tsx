/** Every argument of a node with its name in the op's schema, including defaults. */
import { type Arg, type Detail, NONE } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { NodeLink } from "../../ui/links";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { visible } from "../../ui/text";
import { Argument } from "./argument";
import { type Parameter, parameters } from "./schema";

interface Given {
  readonly name: string;
  readonly type?: string;
  readonly arg: Arg;
}

export function Arguments({ detail, node, ...here }: Here & { detail: Detail; node: number }) {
  const { snapshot } = here;
  const { graph, position } = snapshot.locate(node);
  const call = detail.calls?.[detail.graphs[graph.number]?.calls[position] ?? NONE];
  const inputs = Array.from(graph.inputsOf(position), (input) => graph.base + input);
  const schema = parameters(graph.target(position).schema ?? "");
  const given = named(schema, call?.args ?? [], call?.names ?? [], call?.values ?? []);
  const names = new Set(given.map(({ name }) => name));
  const left = schema.filter(({ name, fallback }) => !names.has(name) && fallback !== undefined);
  return (
    <Section title="Arguments">
      {given.length + left.length === 0 && <Absent>None</Absent>}
      <Rows>
        {given.map(({ name, type, arg }) => (
          <Row key={name} term={name} note={type ? `${name}: ${type}` : name}>
            <Argument arg={arg} inputs={inputs} {...here} />
            {arg.kind === "node" && <About {...here} node={inputs[arg.at] ?? NONE} />}
          </Row>
        ))}
        {left.map(({ name, type, fallback = "" }) => (
          <Row key={name} term={name} note={`${name}: ${type}`}>
            <code class="exirviz-dim">{visible(fallback)}</code> <span class="exirviz-type">default</span>
          </Row>
        ))}
      </Rows>
    </Section>
  );
}

function named(
  schema: readonly Parameter[],
  args: readonly Arg[],
  names: readonly string[],
  values: readonly Arg[],
): Given[] {
  const typeOf = (name: string): { type?: string } => {
    const type = schema.find((each) => each.name === name)?.type;
    return type === undefined ? {} : { type };
  };
  const positional = schema.filter(({ isKeyword }) => !isKeyword);
  const given = args.map((arg, i): Given => {
    const name = positional[i]?.name ?? `${i}`;
    return { name, arg, ...typeOf(name) };
  });
  const byName = names.flatMap((name, i): Given[] => {
    const arg = values[i];
    return arg ? [{ name, arg, ...typeOf(name) }] : [];
  });
  return [...given, ...byName];
}

/** An input's value, and the state that it is or is a view of. */
function About({ node, ...here }: Here & { node: number }) {
  const { snapshot } = here;
  if (node === NONE) return null;
  const source = stateBehind(here, node);
  const target = source === undefined ? undefined : snapshot.inputSpec(source)?.target;
  return (
    <>
      {snapshot.value(node) && <code class="exirviz-dim"> {visible(snapshot.valueText(node))}</code>}
      {source !== undefined && target !== undefined && (
        <div class="exirviz-from">
          ←{" "}
          <NodeLink {...here} node={source}>
            <Clip text={target} />
          </NodeLink>
        </div>
      )}
    </>
  );
}

/** The placeholder of the state that a node is, or is a view of. */
function stateBehind({ snapshot }: Here, node: number): number | undefined {
  const { graph, position } = snapshot.locate(node);
  for (let at = position, steps = 0; steps < 4; steps++) {
    if (graph.op(at) === "placeholder") {
      return snapshot.inputSpec(graph.base + at)?.target === undefined ? undefined : graph.base + at;
    }
    const [only, ...others] = graph.inputsOf(at);
    if (only === undefined || others.length > 0 || snapshot.kind(graph.base + at) !== "view")
      return undefined;
    at = only;
  }
  return undefined;
}
