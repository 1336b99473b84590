/** A row of two texts: numbers, the sign of the change, and the lines of either side with their marks. */
import type { JSX } from "preact";
import { plural, visible } from "../../ui/text";
import { KINDS, type MatchKind } from "../model/schema";
import { HANG } from "./line_wrap";
import { Sign } from "./panel_parts";
import type { SetCell, SetRow } from "./text_layout";

interface LineProps {
  readonly set: SetRow;
  readonly isCurrent: boolean;
  readonly onPress: (match: number) => void;
}

export function Line({ set, isCurrent, onPress }: LineProps): JSX.Element {
  const { row, cells, isStacked, height } = set;
  const { match = -1, hidden } = row;
  if (hidden) return <div class="exirviz-line is-fold">· {plural(hidden, "unchanged line")} ·</div>;
  const kind = KINDS.find((each) => each === row.kind);
  const [before, after] = [<Cell key="a" cell={cells[0]} />, <Cell key="b" cell={cells[1]} />];
  const sign = (
    <span class="exirviz-line-sign">{kind && kind !== "same" && <Sign kind={kind as MatchKind} />}</span>
  );
  const content = isStacked ? (
    <>
      {sign}
      <span class="exirviz-cells">
        {cells[0] && before}
        {cells[1] && after}
      </span>
    </>
  ) : (
    <>
      {before}
      {sign}
      {after}
    </>
  );
  const name = `exirviz-line is-${kind ?? "note"} ${isStacked ? "is-stacked" : ""} ${isCurrent ? "is-it" : ""}`;
  const style = { height: `${height}px` };
  if (match < 0)
    return (
      <div class={name} style={style}>
        {content}
      </div>
    );
  return (
    <button type="button" class={name} style={style} onClick={() => onPress(match)}>
      {content}
    </button>
  );
}

function Cell({ cell }: { cell: SetCell | undefined }): JSX.Element {
  if (!cell) return <span class="exirviz-cell is-empty" />;
  const { indent, lines, numbers, title } = cell;
  return (
    <span class="exirviz-cell" {...(title && { title: visible(title) })}>
      {numbers.map((number, i) => (
        <span key={i} class="exirviz-line-number">
          {number}
        </span>
      ))}
      <span class="exirviz-cell-code">
        {lines.map((spans, i) => (
          <span key={i} class="exirviz-cell-line" style={{ paddingLeft: `${indent + (i > 0 ? HANG : 0)}ch` }}>
            {spans.map(({ text, isMarked }, at) =>
              isMarked ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
            )}
          </span>
        ))}
      </span>
    </span>
  );
}
