/** One column's graph: its title, its canvas, and what the pointer is on. */
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import type { CanvasView } from "../../canvas/view";
import { ExplorerContext } from "../../frame/context";
import { visible } from "../../ui/text";
import { columnReadings, measurementDot, type Readings, readingWords } from "../measurements";
import { boxWords } from "../model/change_summary";
import { dotColor } from "./change_signs";
import { useEnds, usePaint } from "./color_choice";
import { Head, useDrop } from "./column_head";
import { useColumns, useKnownOf, useMeasuringOf, usePairPart } from "./context";
import { GraphCanvas } from "./graph_canvas";

interface PaneProps {
  readonly column: number;
  readonly view: CanvasView;
  readonly mount: string;
  readonly takesWheel: boolean;
}

export function Pane(props: PaneProps): JSX.Element {
  return (
    <ExplorerContext.Provider value={useColumns().row.explorer(props.column)}>
      <Inside {...props} />
    </ExplorerContext.Provider>
  );
}

function Inside({ column, view, mount, takesWheel }: PaneProps): JSX.Element {
  const columns = useColumns();
  const { row } = columns;
  const readings = useReadings(column);
  const words = (item: number): string => {
    const explorer = row.explorer(column);
    const found = [
      boxWords(row.tally(column), explorer, item),
      readingWords(readings.of(item), explorer.picture.isGroup(item)),
    ];
    return found.filter(Boolean).join("; ");
  };
  const paint = usePaint();
  const dot = useCallback(
    (item: number): string | undefined => {
      const explorer = row.explorer(column);
      if (paint === "changes") return dotColor(row.tally(column), explorer, item);
      return measurementDot(readings, item, explorer.picture.isGroup(item), paint, view.theme);
    },
    [row, column, readings, paint, view],
  );
  const title = visible(columns.title(column));
  const drop = useDrop(column, mount);
  useLeading(column, view);
  return (
    <section class={`exirviz-pane ${drop.isOver ? "is-over" : ""}`} aria-label={title} {...drop.on}>
      <Head column={column} mount={mount} />
      <GraphCanvas
        view={view}
        name={`${mount}-${column}`}
        title={title}
        takesWheel={takesWheel}
        says={words}
        dot={dot}
        onLead={() => columns.lead(column)}
        onHover={(slot) => columns.hover(column, slot)}
      />
    </section>
  );
}

/** Measurements of a column and of the one that it is compared with. */
function useReadings(column: number): Readings {
  const columns = useColumns();
  const { values, costs } = useKnownOf(useMeasuringOf(columns.row.colorPair(column).pair.at));
  const ends = useEnds();
  return useMemo(
    () => columnReadings(columns.row, column, values, costs, ends),
    [columns, column, values, costs, ends],
  );
}

/** Keys that go to another column move the focus too. */
function useLeading(column: number, view: CanvasView): void {
  const isLeading = usePairPart((state) => state.leader === column);
  useEffect(() => {
    const { canvas } = view;
    const { activeElement } = canvas.ownerDocument;
    const isInPicture = activeElement?.classList.contains("exirviz-canvas");
    const isOfMount = activeElement?.closest(".exirviz-panes") === canvas.closest(".exirviz-panes");
    if (isLeading && isInPicture && isOfMount) canvas.focus({ preventScroll: true });
  }, [isLeading, view]);
}
