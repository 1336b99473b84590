/** An argument tree: nodes as links, constants with their types, containers around them. */
import type { Arg, Literal } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { NodeLink } from "../../ui/links";
import { visible } from "../../ui/text";

/** `inputs`: node numbers of the using node's inputs, by position. */
export function Argument({ arg, inputs, ...here }: Here & { arg: Arg; inputs: readonly number[] }) {
  switch (arg.kind) {
    case "node": {
      const node = inputs[arg.at];
      return node === undefined ? <code>?</code> : <NodeLink {...here} node={node} />;
    }
    case "literal":
      return <Constant literal={arg} />;
    case "symbol":
      return (
        <>
          <code>{visible(arg.expr)}</code> <span class="exirviz-type">symbolic</span>
        </>
      );
    case "operator":
      return (
        <>
          <code>{visible(arg.text)}</code> <span class="exirviz-type">operator</span>
        </>
      );
    case "object":
      return (
        <>
          <code>{visible(arg.text || `<${arg.cls}>`)}</code>{" "}
          <span class="exirviz-type">{visible(arg.cls)}</span>
        </>
      );
    case "sequence":
      return <Several arg={arg} inputs={inputs} here={here} />;
    case "map":
      return (
        <span class="exirviz-arg-list">
          {"{"}
          {(arg.keys ?? []).map((key, i) => {
            const item = arg.items?.[i];
            return (
              <span key={key.text} class="exirviz-arg-item">
                <code>{visible(key.text)}: </code>
                {item && <Argument arg={item} inputs={inputs} {...here} />}
              </span>
            );
          })}
          {"}"}
        </span>
      );
    case "slice":
      return (
        <span class="exirviz-arg-list">
          <Bare arg={arg.start} inputs={inputs} here={here} />:
          <Bare arg={arg.stop} inputs={inputs} here={here} />:
          <Bare arg={arg.step} inputs={inputs} here={here} /> <span class="exirviz-type">slice</span>
        </span>
      );
  }
}

interface Inner<T> {
  readonly arg: T;
  readonly inputs: readonly number[];
  readonly here: Here;
}

function Several({ arg, inputs, here }: Inner<Extract<Arg, { kind: "sequence" }>>) {
  const items = arg.items ?? [];
  const literals = items.filter((item): item is Literal => item.kind === "literal");
  const [open, close] = arg.type === "list" ? ["[", "]"] : ["(", ")"];
  if (literals.length === items.length) {
    const types = new Set(literals.map(({ type }) => type));
    const type = types.size === 1 ? `${literals[0]?.type}[${items.length}]` : arg.type;
    return (
      <>
        <code>
          {open}
          {literals.map((literal) => visible(textOf(literal))).join(", ")}
          {close}
        </code>{" "}
        <span class="exirviz-type">{items.length > 0 ? type : `empty ${arg.type}`}</span>
      </>
    );
  }
  return (
    <span class="exirviz-arg-list">
      {open}
      {items.map((item, i) => (
        <span key={i} class="exirviz-arg-item">
          <Bare arg={item} inputs={inputs} here={here} />
        </span>
      ))}
      {close}{" "}
      {arg.type !== "list" && arg.type !== "tuple" && <span class="exirviz-type">{visible(arg.type)}</span>}
    </span>
  );
}

/** Without its type, inside a container. */
function Bare({ arg, inputs, here }: Inner<Arg>) {
  if (arg.kind === "literal") return <code>{visible(textOf(arg))}</code>;
  return <Argument arg={arg} inputs={inputs} {...here} />;
}

function Constant({ literal }: { literal: Literal }) {
  return (
    <>
      <code>{visible(textOf(literal))}</code>
      {literal.type !== "none" && <span class="exirviz-type"> {literal.type.replace("_", " ")}</span>}
    </>
  );
}

const textOf = (literal: Literal): string => (literal.type === "str" ? `"${literal.text}"` : literal.text);
