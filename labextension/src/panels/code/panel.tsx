/**
 * The program's text, with the user's lines that made it. It is linked to the picture both ways: a line
 * selects its node, and the selection is scrolled to and marked. Modules fold; a filter keeps the lines that contain a text.
 */
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Detail, NONE } from "../../snapshot";
import { nodesOf } from "../../ui/actions";
import { List } from "../../ui/list";
import { DetailWait, Empty } from "../../ui/states";
import { plural } from "../../ui/text";
import type { PanelProps } from "../actions";
import { CodeRow } from "./row";
import { Rows, shownRows } from "./rows";
import { placeOf, rowOf } from "./selected_row";
import { statement, statementText } from "./statement";

const ROW_HEIGHT = 19;
/** "Fold all" keeps fewer levels of modules open: the model and its parts. */
const FOLDED_FROM = 2;

export function CodePanel({ detail, ...props }: PanelProps) {
  if (detail.state !== "ready") return <DetailWait detail={detail} what="The program's text" />;
  return <Code {...props} detail={detail.detail} />;
}

type CodeProps = Omit<PanelProps, "detail"> & { detail: Detail };

function Code({ snapshot, actions, selection, detail, reports }: CodeProps) {
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
  // The selection is never folded.
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
    <div class="exirviz-code">
      <div class="exirviz-bar-top">
        <input
          class="exirviz-input"
          type="search"
          placeholder="Filter lines"
          aria-label="Filter lines"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {wanted ? (
          <span class="exirviz-aside">{plural(shown.length, "line")}</span>
        ) : (
          modules.length > 0 && (
            <button
              type="button"
              class="exirviz-quiet"
              onClick={() => fold(folded.size > 0 ? new Set() : new Set(modules))}
            >
              {folded.size > 0 ? "Unfold all" : "Fold all"}
            </button>
          )
        )}
        {reports && (
          <button
            type="button"
            class="exirviz-quiet"
            title="Your source: which lines are in the program"
            onClick={() => reports.onOpen("source")}
          >
            Source
          </button>
        )}
      </div>
      {shown.length === 0 ? (
        <Empty title="No matches">Lines are searched for names, values, ops and arguments.</Empty>
      ) : (
        <List
          class="exirviz-source-lines"
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
              isCurrent={shown[index] === row}
              isFolded={folded.has(shown[index] ?? NONE)}
              onFold={toggle}
            />
          )}
        />
      )}
    </div>
  );
}
