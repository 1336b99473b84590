/** One column's picture: its title, its canvas, what the pointer is on. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CanvasView } from "../../canvas/view";
import { ExplorerContext } from "../../frame/context";
import { visible } from "../../panels/parts/text";
import { dotColor } from "../signs";
import { boxWords } from "../summary";
import { useColumns, usePairPart } from "./context";
import { useDrop } from "./drag";
import { Head } from "./head";
import { Sheet } from "./sheet";

export interface PaneProps {
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
  const title = visible(columns.title(column));
  const drop = useDrop(column, mount);
  useLeading(column, view);
  return (
    <section class={`exirviz-pane ${drop.isOver ? "is-over" : ""}`} aria-label={title} {...drop.on}>
      <Head column={column} mount={mount} />
      <Sheet
        view={view}
        name={`${mount}-${column}`}
        title={title}
        takesWheel={takesWheel}
        says={(item) => boxWords(row.tally(column), row.explorer(column).picture, item)}
        dot={(item) => dotColor(row.tally(column), row.explorer(column).picture, item)}
        onLead={() => columns.lead(column)}
        onHover={(slot) => columns.hover(column, slot)}
      />
    </section>
  );
}

/** Keys that go to another column take the focus along. */
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
