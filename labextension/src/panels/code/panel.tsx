/**
 * The program's text, tied to the picture both ways: a line selects its node, and the selection is scrolled to and
 * marked. Modules fold; a filter leaves the lines that hold a text.
 */
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Detail, NONE } from "../../snapshot";
import type { Here, PanelProps, Selection } from "../actions";
import { framesOf } from "../node/frames";
import { List } from "../parts/list";
import { DetailWait, Empty } from "../parts/states";
import { baseName, lastName, plural, visible } from "../parts/text";
import { RowKind, Rows, shownRows } from "./rows";
import { statement, statementText } from "./statement";

const ROW_HEIGHT = 19;
/** Of modules within modules, what "fold all" leaves open: the model and its parts. */
const FOLDED_FROM = 2;
/** In pixels, and the most of it: deep modules must not push their text out of sight. */
const INDENT = 9;
const MOST_INDENT = 90;

export function CodePanel({ detail, ...props }: PanelProps) {
  if (detail.state !== "ready") return <DetailWait detail={detail} what="The program's text" />;
  return <Code {...props} detail={detail.detail} />;
}

function Code({ snapshot, actions, selection, detail }: Omit<PanelProps, "detail"> & { detail: Detail }) {
  const rows = useMemo(() => new Rows(snapshot, detail), [snapshot, detail]);
  const texts = useMemo(() => new Map<number, string>(), [rows]);
  const [folded, fold] = useState<ReadonlySet<number>>(new Set());
  const [filter, setFilter] = useState("");
  useEffect(() => fold(new Set()), [rows]);
  const selected = useMemo(() => new Set(nodesOf(selection)), [selection]);
  const wanted = filter.trim().toLowerCase();
  const shown = useMemo(() => {
    if (!wanted) return shownRows(rows, folded);
    return shownRows(rows, folded, (row) => {
      const node = rows.ref[row] ?? 0;
      const text = texts.get(node) ?? statementText(statement(snapshot, detail, node)).toLowerCase();
      texts.set(node, text);
      return text.includes(wanted);
    });
  }, [rows, folded, wanted, texts, snapshot, detail]);

  const row = useMemo(() => rowOf(rows, selection), [rows, selection]);
  // What is selected is never left folded.
  useEffect(() => {
    const around = row === NONE ? [] : rows.headings(row).filter((each) => folded.has(each));
    if (around.length > 0) fold(new Set([...folded].filter((each) => !around.includes(each))));
  }, [row, rows]);

  const modules = useMemo(() => rows.modules(FOLDED_FROM), [rows]);
  const toggle = (heading: number): void => {
    const next = new Set(folded);
    if (!next.delete(heading)) next.add(heading);
    fold(next);
  };
  return (
    <div class="ev-code">
      <div class="ev-bar-top">
        <input
          class="ev-input"
          type="search"
          placeholder="Filter lines"
          aria-label="Filter lines"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {wanted ? (
          <span class="ev-aside">{plural(shown.length, "line")}</span>
        ) : (
          modules.length > 0 && (
            <button
              type="button"
              class="ev-quiet"
              onClick={() => fold(folded.size > 0 ? new Set() : new Set(modules))}
            >
              {folded.size > 0 ? "unfold all" : "fold all"}
            </button>
          )
        )}
      </div>
      {shown.length === 0 ? (
        <Empty title="No line holds this">
          Lines are searched as they stand: names, values, ops, arguments.
        </Empty>
      ) : (
        <List
          class="ev-lines"
          label="Code"
          count={shown.length}
          rowHeight={ROW_HEIGHT}
          reveal={row === NONE ? undefined : placeOf(shown, row)}
          revealKey={selection}
          row={(index) => (
            <CodeRow
              key={shown[index]}
              {...{ snapshot, actions, detail, rows, selected }}
              row={shown[index] ?? 0}
              isIt={shown[index] === row}
              isFolded={folded.has(shown[index] ?? NONE)}
              onFold={toggle}
            />
          )}
        />
      )}
    </div>
  );
}

interface RowProps extends Here {
  readonly detail: Detail;
  readonly rows: Rows;
  readonly row: number;
  readonly selected: ReadonlySet<number>;
  /** Whether it is the heading of what is selected. */
  readonly isIt: boolean;
  readonly isFolded: boolean;
  readonly onFold: (row: number) => void;
}

function CodeRow({ rows, row, selected, isIt, isFolded, onFold, detail, snapshot, actions }: RowProps) {
  const ref = rows.ref[row] ?? 0;
  const kind = rows.kind[row];
  const indent = { marginLeft: `${Math.min(MOST_INDENT, INDENT * (rows.depth[row] ?? 0))}px` };
  if (kind === RowKind.Graph || kind === RowKind.Module) {
    const inside = (rows.end[row] ?? row) - row - 1;
    return (
      <button
        type="button"
        class={`ev-row ev-row-heading ${kind === RowKind.Graph ? "ev-row-graph" : ""} ${isIt ? "ev-row-it" : ""}`}
        aria-expanded={!isFolded}
        onClick={() => onFold(row)}
      >
        <span class="ev-caret" style={indent} aria-hidden="true">
          {isFolded ? "▸" : "▾"}
        </span>
        {kind === RowKind.Graph ? (
          <b>{visible(snapshot.graph(ref).path)}</b>
        ) : (
          <Module snapshot={snapshot} scope={ref} />
        )}
        {isFolded && <span class="ev-dim"> {plural(inside, "line")}</span>}
      </button>
    );
  }
  if (kind === RowKind.Source) {
    const frame = framesOf(snapshot, detail, ref).at(-1);
    const code = frame?.code?.split("\n")[0]?.trim() ?? "";
    return (
      <div class="ev-row ev-row-source" title={frame && visible(`${frame.file}:${frame.line}`)}>
        <span style={indent}>{frame && visible(`# ${baseName(frame.file)}:${frame.line}  ${code}`)}</span>
      </div>
    );
  }
  const { name, value, called, rest } = statement(snapshot, detail, ref);
  const isReturn = called === "return";
  const binds = called !== "" || (rest !== "" && !rest.startsWith(" ="));
  return (
    <button
      type="button"
      class={selected.has(ref) ? "ev-row ev-row-node ev-row-it" : "ev-row ev-row-node"}
      aria-current={selected.has(ref) ? "true" : undefined}
      onClick={() => actions.reveal(ref)}
      onMouseEnter={() => actions.hover(ref)}
      onMouseLeave={() => actions.hover(undefined)}
    >
      <span class="ev-code-name" style={indent}>
        {visible(name)}
      </span>
      {value && <span class="ev-code-value">: {visible(value)}</span>}
      {!isReturn && binds && " = "}
      <span class="ev-code-op">{visible(called)}</span>
      {visible(rest)}
    </button>
  );
}

/** A module says what it adds to the path of the one around it. */
function Module({ snapshot, scope }: { snapshot: Here["snapshot"]; scope: number }) {
  const { path = "", cls = "", call = 0, parent = NONE } = snapshot.scopes[scope] ?? {};
  const outer = snapshot.scopes[parent]?.path ?? "";
  const step = outer && path.startsWith(`${outer}.`) ? path.slice(outer.length + 1) : path;
  return (
    <>
      <b title={visible(path)}>{visible(step || "the whole model")}</b>
      <span class="ev-dim">
        {" "}
        {visible(lastName(cls))}
        {call > 0 && `, call ${call + 1}`}
      </span>
    </>
  );
}

/** Where the selection stands: its first node, or the heading of its module or graph. */
function rowOf(rows: Rows, selection: Selection): number {
  if (selection.kind === "module") return rows.headingOf(RowKind.Module, selection.scope);
  if (selection.kind === "graph") return rows.headingOf(RowKind.Graph, selection.graph);
  const [first] = nodesOf(selection);
  return first === undefined ? NONE : rows.rowOf(first);
}

function nodesOf(selection: Selection): readonly number[] {
  switch (selection.kind) {
    case "node":
    case "edge":
      return [selection.node];
    case "nodes":
    case "group":
      return selection.nodes;
    default:
      return [];
  }
}

/** Where a row stands among those shown; those are in order. */
function placeOf(shown: Int32Array, row: number): number | undefined {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shown[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return shown[low] === row ? low : undefined;
}
