/** The dimensions of all inputs: which may vary, and which line decided it. */
import type { PageDimension } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { NodeLink } from "../../ui/links";
import { More } from "../../ui/more";
import { Absent, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import type { WhatIf } from "../actions";

const FIRST_ROWS = 24;

/** What each kind means, for tooltips. */
const KINDS: Readonly<Record<string, string>> = {
  static: "always this size",
  specialised: "meant to vary, but the code needs this size",
  dynamic: "varies within its range",
  related: "follows from other sizes",
};

export function Dimensions({
  dimensions,
  whatIf,
  ...here
}: Here & { dimensions: readonly PageDimension[]; whatIf: WhatIf | undefined }) {
  const kinds = Object.keys(KINDS).flatMap((kind) => {
    const count = dimensions.filter((each) => each.kind === kind).length;
    return count > 0 ? [`${count} ${kind}`] : [];
  });
  return (
    <Section title="Inputs" aside={kinds.join(" · ")}>
      {dimensions.length === 0 && <Absent>The inputs have no dimensions.</Absent>}
      {dimensions.length > 0 && (
        <table class="exirviz-dimensions">
          <thead>
            <tr>
              <th scope="col">input</th>
              <th scope="col">dim</th>
              <th scope="col">kind</th>
              <th scope="col">size</th>
              <th scope="col">range</th>
            </tr>
          </thead>
          <tbody>
            <More
              items={dimensions}
              first={FIRST_ROWS}
              of="dimensions"
              each={(row, at) => (
                <Dimension
                  key={`${row.node} ${row.dim}`}
                  {...here}
                  row={row}
                  isFirst={dimensions[at - 1]?.node !== row.node}
                  whatIf={whatIf}
                />
              )}
            />
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Dimension({
  row: { node, input, dim, kind, expr, size, lower, upper, requires = [], lines = [] },
  isFirst,
  whatIf,
  ...here
}: Here & { row: PageDimension; isFirst: boolean; whatIf: WhatIf | undefined }) {
  const now = whatIf?.values.dim(expr);
  const shown = typeof now === "number" ? now : size;
  const hasRange = kind === "dynamic" || kind === "related";
  return (
    <>
      <tr class={isFirst ? "is-first" : ""}>
        <th scope="row">
          {isFirst && (
            <NodeLink {...here} node={node}>
              {visible(input)}
            </NodeLink>
          )}
        </th>
        <td>{dim ?? ""}</td>
        <td>
          <span class={`exirviz-dimension-kind is-${kind}`} title={KINDS[kind]}>
            {kind}
          </span>
        </td>
        <td>
          <code>{visible(shown === undefined || String(shown) === expr ? expr : `${expr} = ${shown}`)}</code>
        </td>
        <td class="exirviz-dim">{hasRange && `${lower ?? "−∞"} … ${upper ?? "∞"}`}</td>
      </tr>
      {(requires.length > 0 || lines.length > 0) && (
        <tr class="exirviz-dimension-why">
          <td />
          <td colSpan={4}>
            {requires.length > 0 && (
              <span title={visible(requires.join("\n"))}>
                requires <code>{visible(requires[0] ?? "")}</code>
                {requires.length > 1 && ` and ${plural(requires.length - 1, "more condition")}`}
              </span>
            )}
            {lines.length > 0 && (
              <span class="exirviz-dim" title="The line that decided it">
                {requires.length > 0 ? " · " : "decided by "}
                {visible(lines.join(", "))}
              </span>
            )}
          </td>
        </tr>
      )}
    </>
  );
}
