/** The signature of the program: inputs, outputs and state by kind; a click selects. */

import { useMemo, useState } from "preact/hooks";
import { grouped } from "../../snapshot";
import type { Actions } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { More } from "../../ui/more";
import { Absent, Section } from "../../ui/section";
import { visible } from "../../ui/text";
import type { PanelProps } from "../actions";
import { MethodChoice } from "../method_choice";
import { type Group, groups, matching, type SignatureRow } from "./rows";

/** Groups with more rows begin closed, as trees do; open ones show this many at first. */
const FEW = 8;
/** A signature with more rows has a filter. */
const MANY = 20;

export function SignatureSection({
  snapshot,
  detail,
  actions,
}: Pick<PanelProps, "snapshot" | "detail" | "actions">) {
  const [method, setMethod] = useState(0);
  const [filter, setFilter] = useState("");
  const ready = detail.state === "ready" ? detail.detail.methods[method] : undefined;
  const all = useMemo(() => groups(snapshot, method, ready), [snapshot, method, ready]);
  const shown = useMemo(() => matching(all, filter), [all, filter]);
  const { graph = 0 } = snapshot.methods[method] ?? {};
  const hasFilter = all.reduce((sum, { rows }) => sum + rows.length, 0) > MANY;
  return (
    <Section title="Signature">
      <MethodChoice snapshot={snapshot} method={method} onMethod={setMethod} />
      {hasFilter && (
        <input
          class="exirviz-input exirviz-sig-filter"
          type="search"
          placeholder="Filter inputs and outputs"
          aria-label="Filter inputs and outputs"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      {!snapshot.graph(graph).columns.signature ? (
        <Absent>A plain FX graph does not say which inputs are parameters</Absent>
      ) : shown.length === 0 ? (
        <Absent>{filter ? "No path, state or value contains this text" : "No inputs and no outputs"}</Absent>
      ) : (
        shown.map((group) => (
          <SignatureGroup
            key={`${method} ${group.key}`}
            group={group}
            isFiltered={filter !== ""}
            actions={actions}
          />
        ))
      )}
    </Section>
  );
}

function SignatureGroup({
  group: { title, rows },
  isFiltered,
  actions,
}: {
  group: Group;
  isFiltered: boolean;
  actions: Actions;
}) {
  const [choice, setChoice] = useState<boolean>();
  const isShort = rows.length <= FEW && rows[0]?.kind === "spec";
  const isOpen = isFiltered || (choice ?? isShort);
  const count = rows.filter((row) => row.kind !== "tree" || row.type === "").length;
  return (
    <>
      <button
        type="button"
        class="exirviz-sig exirviz-sig-group"
        aria-expanded={isOpen}
        onClick={() => setChoice(!isOpen)}
      >
        <span class="exirviz-caret" aria-hidden="true">
          {isOpen ? "▾" : "▸"}
        </span>
        <span class="exirviz-sig-title">{title}</span>
        <span class="exirviz-aside">{grouped(count)}</span>
      </button>
      {isOpen && (
        <More
          items={rows}
          first={FEW}
          of="rows"
          each={(row, i) => <SignatureLine key={i} row={row} actions={actions} />}
        />
      )}
    </>
  );
}

function SignatureLine({ row, actions }: { row: SignatureRow; actions: Actions }) {
  if (row.kind === "tree") {
    return (
      <div class="exirviz-sig exirviz-sig-tree" style={{ paddingLeft: `${30 + row.depth * 14}px` }}>
        {row.key && <code>{visible(row.key)}</code>}
        <span class={row.type ? "exirviz-type" : "exirviz-dim"}>{visible(row.type || "leaf")}</span>
      </div>
    );
  }
  const { node } = row;
  const inside = (
    <>
      <Clip text={row.title} />
      {row.mark && <span class="exirviz-mark">{row.mark}</span>}
      <code class="exirviz-sig-value" title={visible(row.value)}>
        {visible(row.value)}
      </code>
    </>
  );
  // A specialised constant is not a node and cannot be selected.
  if (node === undefined) return <div class="exirviz-sig exirviz-sig-spec">{inside}</div>;
  return (
    <button
      type="button"
      class="exirviz-sig exirviz-sig-spec"
      onClick={() => actions.reveal(node)}
      onMouseEnter={() => actions.hover(node)}
      onMouseLeave={() => actions.hover(undefined)}
    >
      {inside}
    </button>
  );
}
