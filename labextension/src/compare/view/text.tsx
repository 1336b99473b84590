/** The two programs as text, side by side: folded where equal, marked where they differ, tied to the pictures. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { List } from "../../panels/parts/list";
import { Busy, Failed } from "../../panels/parts/states";
import { visible } from "../../panels/parts/text";
import { grouped } from "../../snapshot";
import { KINDS, type MatchKind, type TextCell, type TextRow } from "../schema";
import { usePairPart, usePairView } from "./context";
import { Sign } from "./parts";

const ROW = 20;

/** Of the pair that has this number. */
export type TextSource = (at: number) => Promise<readonly TextRow[]>;

export function PairText({ source }: { source: TextSource }): JSX.Element {
  const { pair } = usePairView();
  const match = usePairPart((state) => state.match);
  const [rows, setRows] = useState<readonly TextRow[]>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let isWanted = true;
    setRows(undefined);
    source(pair.at).then(
      (found) => isWanted && setRows(found),
      (why: unknown) => isWanted && setProblem(why instanceof Error ? why.message : String(why)),
    );
    return () => {
      isWanted = false;
    };
  }, [source, pair]);
  if (problem) return <Failed what="The text cannot be shown" why={problem} />;
  if (!rows) return <Busy what="Reading the two texts…" />;
  return (
    <List
      class="exirviz-text"
      label={`Text of ${visible(pair.changes.comparison.a)} and ${visible(pair.changes.comparison.b)}`}
      count={rows.length}
      rowHeight={ROW}
      reveal={match < 0 ? -1 : rows.findIndex((row) => row.match === match)}
      revealKey={match}
      row={(index) => (
        <Line key={index} row={rows[index] as TextRow} isIt={match >= 0 && rows[index]?.match === match} />
      )}
    />
  );
}

function Line({ row, isIt }: { row: TextRow; isIt: boolean }): JSX.Element {
  const { columns } = usePairView();
  if (row.hidden) return <div class="exirviz-line is-fold">· {grouped(row.hidden)} the same ·</div>;
  const kind = KINDS.find((each) => each === row.kind);
  const { match = -1 } = row;
  const content = (
    <>
      <Cell cell={row.a} />
      <span class="exirviz-line-sign">{kind && kind !== "same" && <Sign kind={kind as MatchKind} />}</span>
      <Cell cell={row.b} />
    </>
  );
  const name = `exirviz-line is-${kind ?? "note"} ${isIt ? "is-it" : ""}`;
  if (match < 0) return <div class={name}>{content}</div>;
  return (
    <button type="button" class={name} onClick={() => void columns.show(match)}>
      {content}
    </button>
  );
}

function Cell({ cell }: { cell: TextCell | undefined }): JSX.Element {
  if (!cell) return <span class="exirviz-cell is-empty" />;
  return (
    <span class="exirviz-cell" title={visible(cell.text)}>
      <span class="exirviz-line-number">{cell.line}</span>
      {spansOf(cell).map(({ text, isMarked }, i) =>
        isMarked ? <mark key={i}>{visible(text)}</mark> : <span key={i}>{visible(text)}</span>,
      )}
    </span>
  );
}

/** Marks count characters as Python does: whole code points. */
export function spansOf({
  text,
  marks = [],
}: TextCell): { readonly text: string; readonly isMarked: boolean }[] {
  const points = [...text];
  const found: { text: string; isMarked: boolean }[] = [];
  let at = 0;
  const put = (end: number, isMarked: boolean): void => {
    if (end > at) found.push({ text: points.slice(at, end).join(""), isMarked });
    at = Math.max(at, end);
  };
  for (const [from, to] of marks) {
    put(from, false);
    put(to, true);
  }
  put(points.length, false);
  return found;
}
