/** The signature: inputs and outputs by kind; a click selects. */

import { useMemo, useState } from "preact/hooks";
import { grouped } from "../../snapshot";
import type { Actions, Selection } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { List } from "../../ui/list";
import { Empty } from "../../ui/states";
import { visible } from "../../ui/text";
import type { PanelProps } from "../actions";
import { MethodChoice } from "../method_choice";
import { groups, type SignatureRow, shown } from "./rows";

const ROW_HEIGHT = 24;

export function SignaturePanel({ snapshot, detail, selection, actions }: PanelProps) {
  const [method, setMethod] = useState(0);
  const [filter, setFilter] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const ready = detail.state === "ready" ? detail.detail.methods[method] : undefined;
  const all = useMemo(() => groups(snapshot, method, ready), [snapshot, method, ready]);
  const rows = useMemo(() => shown(all, closed, filter), [all, closed, filter]);
  const { graph = 0 } = snapshot.methods[method] ?? {};
  const toggle = (key: string): void => {
    const next = new Set(closed);
    if (!next.delete(key)) next.add(key);
    setClosed(next);
  };
  const selected = selectedNode(selection);
  return (
    <div class="exirviz-signature">
      <div class="exirviz-bar-top">
        <MethodChoice snapshot={snapshot} method={method} onMethod={setMethod} />
        <input
          class="exirviz-input"
          type="search"
          placeholder="Filter inputs and outputs"
          aria-label="Filter inputs and outputs"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </div>
      {!snapshot.graph(graph).columns.signature ? (
        <Empty title="No signature">A plain FX graph does not say which inputs are parameters.</Empty>
      ) : rows.length === 0 ? (
        <Empty title="No matches">Paths, state names and values are searched.</Empty>
      ) : (
        <List
          label="Signature"
          count={rows.length}
          rowHeight={ROW_HEIGHT}
          reveal={rows.findIndex(
            (row) => row.kind === "spec" && row.node === selected && selected !== undefined,
          )}
          revealKey={selection}
          row={(index) => {
            const row = rows[index];
            return (
              row && (
                <SignatureLine
                  key={index}
                  row={row}
                  actions={actions}
                  isOpen={row.kind === "group" && !closed.has(row.key)}
                  isCurrent={row.kind === "spec" && row.node !== undefined && row.node === selected}
                  onToggle={toggle}
                />
              )
            );
          }}
        />
      )}
    </div>
  );
}

const selectedNode = (selection: Selection): number | undefined =>
  selection.kind === "node" ? selection.node : undefined;

interface LineProps {
  readonly row: SignatureRow;
  readonly actions: Actions;
  readonly isOpen: boolean;
  readonly isCurrent: boolean;
  readonly onToggle: (key: string) => void;
}

function SignatureLine({ row, actions, isOpen, isCurrent, onToggle }: LineProps) {
  if (row.kind === "group") {
    return (
      <button
        type="button"
        class="exirviz-sig exirviz-sig-group"
        aria-expanded={isOpen}
        onClick={() => onToggle(row.key)}
      >
        <span class="exirviz-caret" aria-hidden="true">
          {isOpen ? "▾" : "▸"}
        </span>
        <span class="exirviz-sig-title">{row.title}</span>
        <span class="exirviz-aside">{grouped(row.count)}</span>
      </button>
    );
  }
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
      class={isCurrent ? "exirviz-sig exirviz-sig-spec exirviz-sig-it" : "exirviz-sig exirviz-sig-spec"}
      aria-current={isCurrent ? "true" : undefined}
      onClick={() => actions.reveal(node)}
      onMouseEnter={() => actions.hover(node)}
      onMouseLeave={() => actions.hover(undefined)}
    >
      {inside}
    </button>
  );
}
