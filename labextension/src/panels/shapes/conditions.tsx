/** What a method requires of its sizes: conditions with the lines that caused them, and run-time asserts. */
import {
  baseName,
  type Detail,
  evaluatePostfix,
  type Formula,
  framesOf,
  NONE,
  usersFrame,
} from "../../snapshot";
import type { Here } from "../../ui/actions";
import { NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Section } from "../../ui/section";
import { visible } from "../../ui/text";
import type { WhatIf } from "../actions";

export function Conditions({ conditions }: { conditions: readonly Formula[] }) {
  // A symbol's card shows the ends of its range.
  const shown = conditions.filter(({ is_bound: isBound, lines = [] }) => lines.length > 0 || !isBound);
  if (shown.length === 0) return null;
  return (
    <Section title="Conditions" aside={shown.length}>
      <ul class="exirviz-guards">
        <More
          items={shown}
          first={8}
          of="conditions"
          each={({ expr, lines = [] }) => (
            <li key={expr}>
              <code class="exirviz-wrap">{visible(expr)}</code>
              {lines.length > 0 && <span class="exirviz-dim"> {visible(lines.join(", "))}</span>}
            </li>
          )}
        />
      </ul>
    </Section>
  );
}

/** Sizes that follow from others, "2*batch + 1", with their value for the sizes that are tried. */
export function Relations({ sizes, whatIf }: { sizes: readonly Formula[]; whatIf: WhatIf | undefined }) {
  const related = sizes.filter(({ postfix = "", is_symbol: isSymbol }) => postfix !== "" && !isSymbol);
  const tried = whatIf?.values.sizes;
  if (related.length === 0) return null;
  return (
    <Section title="Sizes that follow" aside={related.length}>
      <ul class="exirviz-guards">
        <More
          items={related}
          first={8}
          of="sizes"
          each={({ expr, postfix = "" }) => (
            <li key={expr}>
              <code>{visible(expr)}</code>
              {tried && <span class="exirviz-dim"> = {String(evaluatePostfix(postfix, tried) ?? "?")}</span>}
            </li>
          )}
        />
      </ul>
    </Section>
  );
}

export function Asserts({
  nodes,
  detail,
  ...here
}: Here & { nodes: readonly number[]; detail: Detail | undefined }) {
  return (
    <Section title="Run-time asserts" aside={nodes.length}>
      <div class="exirviz-children">
        <More
          items={nodes}
          first={5}
          of="asserts"
          each={(node) => (
            <div key={node} class="exirviz-assert">
              <NodeLink {...here} node={node} />
              {detail && <Message {...here} detail={detail} node={node} />}
            </div>
          )}
        />
      </div>
    </Section>
  );
}

/** The message of a failing assert, and the user's line. */
function Message({ snapshot, detail, node }: Here & { detail: Detail; node: number }) {
  const { graph, position } = snapshot.locate(node);
  const call = detail.calls?.[detail.graphs[graph.number]?.calls[position] ?? NONE];
  const text = [...(call?.args ?? []), ...(call?.values ?? [])].find(
    (arg) => arg.kind === "literal" && arg.type === "str",
  );
  const frames = framesOf(snapshot, detail, node);
  const frame = frames[usersFrame(frames)];
  return (
    <p class="exirviz-dim">
      {text?.kind === "literal" ? visible(text.text) : ""}
      {frame && ` ${visible(`${baseName(frame.file)}:${frame.line}`)}`}
    </p>
  );
}
