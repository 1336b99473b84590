/** The top of a node's panel: kind, name, op with its schema; name and id to copy. */
import { KINDS, opName, type Snapshot } from "../../snapshot";
import type { Actions } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Copy } from "../../ui/copy";
import { visible } from "../../ui/text";

const WORDS: Readonly<Record<string, string>> = {
  placeholder: "graph input",
  output: "graph output",
  get_attr: "reads an attribute",
  call_module: "calls a module",
  call_method: "calls a method",
};

export function Head({ snapshot, actions, node }: { snapshot: Snapshot; actions: Actions; node: number }) {
  const { graph, position } = snapshot.locate(node);
  const target = graph.target(position);
  const name = graph.name(position);
  const word = WORDS[graph.op(position)];
  const kind = snapshot.kind(node);
  // An input's target is its name.
  const isNamedAlike = word !== undefined && target.text === name;
  return (
    <header class="exirviz-head">
      <div class="exirviz-head-line">
        <span class="exirviz-kind-dot" style={{ background: KINDS[kind].color }} title={KINDS[kind].title} />
        <h3>
          <Clip text={name} />
        </h3>
        <Copy actions={actions} text={name} what="name" />
        <Copy actions={actions} text={snapshot.id(node)} what="id" />
      </div>
      <p class="exirviz-schema">
        {!isNamedAlike && visible(target.schema ? schemaText(target.schema, opName(target)) : opName(target))}
        {word && <span class="exirviz-words">{isNamedAlike ? word : ` ${word}`}</span>}
      </p>
    </header>
  );
}

/** "aten.mm.default(Tensor self, Tensor mat2) → Tensor". */
const schemaText = (schema: string, name: string): string => {
  const open = schema.indexOf("(");
  return open < 0 ? schema : `${name}${schema.slice(open).replace(/\)\s*->\s*/, ") → ")}`;
};
