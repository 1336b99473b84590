/**
 * One line of the code panel: the heading of a graph or module, a line of the user's source, or a node's
 * statement.
 */
import { baseName, type Detail, framesOf, NONE, usersFrame } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { lastName, plural, visible } from "../../ui/text";
import { RowKind, type Rows } from "./rows";
import { statement } from "./statement";

/** In pixels, with a maximum so that the text of deep modules stays visible. */
const INDENT = 9;
const MOST_INDENT = 90;

interface RowProps extends Here {
  readonly detail: Detail;
  readonly rows: Rows;
  readonly row: number;
  readonly selected: ReadonlySet<number>;
  /** Whether it is the heading of the selection. */
  readonly isCurrent: boolean;
  readonly isFolded: boolean;
  readonly onFold: (row: number) => void;
}

export function CodeRow({
  rows,
  row,
  selected,
  isCurrent,
  isFolded,
  onFold,
  detail,
  snapshot,
  actions,
}: RowProps) {
  const ref = rows.ref[row] ?? 0;
  const kind = rows.kind[row];
  const indent = { marginLeft: `${Math.min(MOST_INDENT, INDENT * (rows.depth[row] ?? 0))}px` };
  if (kind === RowKind.Graph || kind === RowKind.Module) {
    const inside = (rows.end[row] ?? row) - row - 1;
    return (
      <button
        type="button"
        class={`exirviz-row exirviz-row-heading ${kind === RowKind.Graph ? "exirviz-row-graph" : ""} ${isCurrent ? "exirviz-row-it" : ""}`}
        aria-expanded={!isFolded}
        onClick={() => onFold(row)}
      >
        <span class="exirviz-caret" style={indent} aria-hidden="true">
          {isFolded ? "▸" : "▾"}
        </span>
        {kind === RowKind.Graph ? (
          <b>{visible(snapshot.graph(ref).path)}</b>
        ) : (
          <Module snapshot={snapshot} scope={ref} />
        )}
        {isFolded && <span class="exirviz-dim"> {plural(inside, "line")}</span>}
      </button>
    );
  }
  if (kind === RowKind.Source) {
    const frames = framesOf(snapshot, detail, ref);
    const frame = frames[usersFrame(frames)];
    const code = frame?.code?.split("\n")[0]?.trim() ?? "";
    return (
      <div class="exirviz-row exirviz-row-source" title={frame && visible(`${frame.file}:${frame.line}`)}>
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
      class={
        selected.has(ref) ? "exirviz-row exirviz-row-node exirviz-row-it" : "exirviz-row exirviz-row-node"
      }
      aria-current={selected.has(ref) ? "true" : undefined}
      onClick={() => actions.reveal(ref)}
      onMouseEnter={() => actions.hover(ref)}
      onMouseLeave={() => actions.hover(undefined)}
    >
      <span class="exirviz-code-name" style={indent}>
        {visible(name)}
      </span>
      {value && <span class="exirviz-code-value">: {visible(value)}</span>}
      {!isReturn && binds && " = "}
      <span class="exirviz-code-op">{visible(called)}</span>
      {visible(rest)}
    </button>
  );
}

/** A module shows what it adds to the path of its parent. */
function Module({ snapshot, scope }: { snapshot: Here["snapshot"]; scope: number }) {
  const { path = "", cls = "", call = 0, parent = NONE } = snapshot.scopes[scope] ?? {};
  const outer = snapshot.scopes[parent]?.path ?? "";
  const step = outer && path.startsWith(`${outer}.`) ? path.slice(outer.length + 1) : path;
  return (
    <>
      <b title={visible(path)}>{visible(step || "the whole model")}</b>
      <span class="exirviz-dim">
        {" "}
        {visible(lastName(cls))}
        {call > 0 && `, call ${call + 1}`}
      </span>
    </>
  );
}
