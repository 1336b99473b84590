/** One column's picture: its title, its canvas, what the pointer is on. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { listen } from "../../canvas/pointer";
import type { CanvasView } from "../../canvas/view";
import { ExplorerContext, usePart } from "../../frame/context";
import { Tooltip, type TooltipAt } from "../../frame/tooltip";
import { AriaTree, treeId } from "../../frame/tree";
import { visible } from "../../panels/parts/text";
import { useColumns, usePairPart } from "./context";
import { useDrop } from "./drag";
import { Head } from "./head";

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
  const title = useColumns().row.title(column);
  const scene = usePart((state) => state.scene);
  const problem = usePart((state) => state.problem);
  const [tip, setTip] = useState<TooltipAt>();
  const sheet = useSheet({ column, view, mount, takesWheel }, setTip);
  const drop = useDrop(column, mount);
  useActive(view, `${mount}-${column}`, visible(title));
  useLeading(column, view);
  return (
    <section class={`exirviz-pane ${drop.isOver ? "is-over" : ""}`} aria-label={visible(title)} {...drop.on}>
      <Head column={column} mount={mount} />
      <div class="exirviz-sheet" ref={sheet}>
        {problem && (
          <div class="exirviz-failed" role="alert">
            {problem}
          </div>
        )}
        {tip && scene === view.look().scene && <Tooltip at={tip} overlay={undefined} />}
        <AriaTree mount={`${mount}-${column}`} />
      </div>
    </section>
  );
}

/** Puts the canvas into the sheet, keeps it as large, and hears the pointer. */
function useSheet({ column, view, takesWheel }: PaneProps, setTip: (tip: TooltipAt | undefined) => void) {
  const columns = useColumns();
  const explorer = columns.row.explorer(column);
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = sheet.current;
    if (!element) return undefined;
    element.prepend(view.canvas);
    const fill = (): void => view.resize({ width: element.clientWidth, height: element.clientHeight });
    const resize = new ResizeObserver(fill);
    resize.observe(element);
    fill();
    const lead = (): void => columns.lead(column);
    for (const kind of ["pointerdown", "wheel", "focus"]) {
      view.canvas.addEventListener(kind, lead, { capture: true, passive: true });
    }
    const off = listen(explorer, view, {
      takesWheel,
      onHover: (at) => {
        const { slot, edge } = view.hovered;
        columns.hover(column, at.x < 0 ? -1 : slot);
        setTip(at.x < 0 || (slot < 0 && edge < 0) ? undefined : { ...at, slot, edge });
      },
    });
    return () => {
      off();
      for (const kind of ["pointerdown", "wheel", "focus"]) {
        view.canvas.removeEventListener(kind, lead, { capture: true });
      }
      resize.disconnect();
    };
  }, [columns, view]);
  return sheet;
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

/** Tells a screen reader whose canvas it is, and which item of the tree it is at. */
function useActive(view: CanvasView, mount: string, title: string): void {
  const selected = usePart((state) => state.selected);
  useEffect(() => {
    const { canvas } = view;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `${title}. N goes to the next change, question mark lists the keys.`);
    const active = selected[0];
    if (active === undefined) canvas.removeAttribute("aria-activedescendant");
    else canvas.setAttribute("aria-activedescendant", treeId(mount, active));
  }, [selected, view, title]);
}
