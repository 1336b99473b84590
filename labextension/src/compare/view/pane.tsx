/** One side's picture: its title, its canvas, what the pointer is on. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { listen } from "../../canvas/pointer";
import type { CanvasView } from "../../canvas/view";
import { ExplorerContext, usePart } from "../../frame/context";
import { Tooltip, type TooltipAt } from "../../frame/tooltip";
import { AriaTree, treeId } from "../../frame/tree";
import { plural, visible } from "../../panels/parts/text";
import type { Side } from "../changes";
import { usePair } from "./context";

export interface PaneProps {
  readonly side: Side;
  readonly view: CanvasView;
  readonly mount: string;
  readonly takesWheel: boolean;
}

export function Pane(props: PaneProps): JSX.Element {
  const pair = usePair();
  return (
    <ExplorerContext.Provider value={pair.explorers[props.side]}>
      <Inside {...props} />
    </ExplorerContext.Provider>
  );
}

function Inside({ side, view, mount, takesWheel }: PaneProps): JSX.Element {
  const pair = usePair();
  const { comparison } = pair.changes;
  const title = side === 0 ? comparison.a : comparison.b;
  const ops = usePart(({ picture }) => picture.words.opsOf(picture.count));
  const scene = usePart((state) => state.scene);
  const problem = usePart((state) => state.problem);
  const [tip, setTip] = useState<TooltipAt>();
  const sheet = useSheet({ side, view, mount, takesWheel }, setTip);
  useActive(view, `${mount}-${side}`, visible(title));
  return (
    <section class="exirviz-pane" aria-label={visible(title)}>
      <h3 class="exirviz-pane-title" title={visible(title)}>
        {visible(title)} <span class="exirviz-dim">{plural(ops, "op")}</span>
      </h3>
      <div class="exirviz-sheet" ref={sheet}>
        {problem && (
          <div class="exirviz-failed" role="alert">
            {problem}
          </div>
        )}
        {tip && scene === view.look().scene && <Tooltip at={tip} overlay={undefined} />}
        <AriaTree mount={`${mount}-${side}`} />
      </div>
    </section>
  );
}

/** Puts the canvas into the sheet, keeps it as large, and hears the pointer. */
function useSheet({ side, view, takesWheel }: PaneProps, setTip: (tip: TooltipAt | undefined) => void) {
  const pair = usePair();
  const explorer = pair.explorers[side];
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = sheet.current;
    if (!element) return undefined;
    element.prepend(view.canvas);
    const fill = (): void => view.resize({ width: element.clientWidth, height: element.clientHeight });
    const resize = new ResizeObserver(fill);
    resize.observe(element);
    fill();
    const lead = (): void => pair.lead(side);
    for (const kind of ["pointerdown", "wheel", "focus"]) {
      view.canvas.addEventListener(kind, lead, { capture: true, passive: true });
    }
    const off = listen(explorer, view, {
      takesWheel,
      onHover: (at) => {
        const { slot, edge } = view.hovered;
        pair.hover(side, at.x < 0 ? -1 : slot);
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
  }, [pair, view]);
  return sheet;
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
