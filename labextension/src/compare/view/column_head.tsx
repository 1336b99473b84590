/** The header of a column: its name, and what changed since the column at its left. It can be dragged. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { usePart } from "../../frame/context";
import { plural, visible } from "../../ui/text";
import { paintsOf } from "../measurements";
import { usePaint } from "./color_choice";
import { useColumns, useKnownOf, useMeasuringOf, usePairPart } from "./context";
import { CallsText } from "./panel_parts";

export function Head({ column, mount }: { column: number; mount: string }): JSX.Element {
  const columns = useColumns();
  const { row, stageColumns } = columns;
  const title = visible(columns.title(column));
  const ops = usePart(({ picture }) => picture.words.opsOf(picture.count));
  const drag = useDrag(column, mount);
  const isOfMany = row.pairs.length > 1;
  return (
    <header class={stageColumns ? "exirviz-pane-head can-move" : "exirviz-pane-head"} {...drag}>
      <h3 class="exirviz-pane-title" title={title}>
        <Dropped column={column} /> {title} <span class="exirviz-dim">{plural(ops, "op")}</span>
      </h3>
      {isOfMany && <ChangesSince column={column} />}
    </header>
  );
}

/** Before the name, whose end may be cut off: the stage was deleted from its session. */
function Dropped({ column }: { column: number }): JSX.Element | null {
  const { stageColumns } = useColumns();
  const source = stageColumns?.stages.source;
  const [, draw] = useState(source?.state);
  useEffect(() => source?.subscribe(() => draw(source.state)), [source]);
  const id = stageColumns?.ids[column];
  if (id === undefined || stageColumns?.stages.record(id)) return null;
  return (
    <span
      class="exirviz-trouble"
      role="status"
      title="This stage was deleted. Its column stays until you remove it."
    >
      deleted
    </span>
  );
}

/** What changed since the column at its left; a click makes that pair current. */
function ChangesSince({ column }: { column: number }): JSX.Element {
  const columns = useColumns();
  const at = usePairPart((state) => state.at);
  const pair = columns.row.pairs[column - 1];
  if (!pair)
    return (
      <p class="exirviz-since">
        compared from left to right <Unmeasured column={column} />
      </p>
    );
  const before = visible(columns.title(column - 1));
  return (
    <button
      type="button"
      class="exirviz-since"
      aria-pressed={pair.at === at}
      aria-label={`Show changes since ${before}`}
      title={`Show changes since ${before}`}
      onClick={() => columns.showPair(pair.at)}
    >
      <CallsText comparison={pair.changes.comparison} /> <Unmeasured column={column} />
    </button>
  );
}

/** In a column without colours while others have them: it was not measured. */
function Unmeasured({ column }: { column: number }): JSX.Element | null {
  const { row } = useColumns();
  const paint = usePaint();
  const known = useKnownOf(useMeasuringOf(row.colorPair(column).pair.at));
  if (paintsOf(known).includes(paint)) return null;
  return <span class="exirviz-dim">· {paint} not measured</span>;
}

/** The drag type for the browser: a mount accepts only its own columns. */
const typeOf = (mount: string): string => `application/x-${mount}-column`;

/** Columns are reordered by dragging their headers: the attributes of a header. */
function useDrag(column: number, mount: string) {
  const { stageColumns } = useColumns();
  if (!stageColumns) return {};
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent): void => {
      dataTransfer?.setData(typeOf(mount), String(column));
    },
  };
}

/** For a column as a drop target. */
export function useDrop(column: number, mount: string) {
  const { stageColumns } = useColumns();
  const [isOver, setOver] = useState(false);
  const takes = ({ dataTransfer }: DragEvent): boolean =>
    !!stageColumns && !!dataTransfer?.types.includes(typeOf(mount));
  return {
    isOver,
    on: {
      onDragOver: (event: DragEvent): void => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (): void => setOver(false),
      onDrop: (event: DragEvent): void => {
        setOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        stageColumns?.move(Number(event.dataTransfer?.getData(typeOf(mount))), column);
      },
    },
  };
}
