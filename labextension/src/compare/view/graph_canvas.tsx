/** A canvas in its container: with its size, pointer, keys, screen reader text and tooltips. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Minimap } from "../../canvas/minimap";
import { listen } from "../../canvas/pointer";
import type { Theme } from "../../canvas/theme";
import type { CanvasView } from "../../canvas/view";
import { Marker } from "../../explorer";
import { AriaTree, treeId } from "../../frame/aria_tree";
import { useExplorer, usePart } from "../../frame/context";
import { Tooltip, type TooltipAt, tooltipAt } from "../../frame/tooltip";
import type { Camera } from "../../geometry/camera";
import { takeFocus } from "./focus_keeping";

interface GraphCanvasProps {
  readonly view: CanvasView;
  /** Prefix of the ids for screen readers. */
  readonly name: string;
  readonly title: string;
  readonly takesWheel: boolean;
  /** The change of a box as text. */
  readonly says: (item: number) => string;
  /** The colour of a box in the minimap; undefined if unchanged. A new function repaints it. */
  readonly dot: (item: number) => string | undefined;
  /** It was used. */
  readonly onLead: () => void;
  /** The pointer is on a slot; -1 for none. */
  readonly onHover: (slot: number) => void;
}

export function GraphCanvas(props: GraphCanvasProps): JSX.Element {
  const { view, name, title, says } = props;
  const problem = usePart((state) => state.problem);
  const [tip, setTip] = useState<TooltipAt>();
  const sheet = useCanvas(props, setTip);
  useActive(view, name, title);
  return (
    <div class="exirviz-sheet" ref={sheet}>
      {problem && (
        <div class="exirviz-failed" role="alert">
          {problem}
        </div>
      )}
      {tip && <Tooltip at={tip} overlay={undefined} says={says} />}
      <AriaTree mount={name} says={says} />
    </div>
  );
}

/** Puts the canvas into the container, keeps its size, and handles the pointer. */
function useCanvas(props: GraphCanvasProps, setTip: (tip: TooltipAt | undefined) => void) {
  const { view, takesWheel } = props;
  const explorer = useExplorer();
  const latest = useRef(props);
  latest.current = props;
  const sheet = useRef<HTMLDivElement>(null);
  const map = useRef<Minimap | undefined>(undefined);
  useEffect(() => {
    const element = sheet.current;
    if (!element) return undefined;
    element.prepend(view.canvas);
    const move = (camera: Camera): void => {
      latest.current.onLead();
      view.moved(camera);
    };
    const colorOf = (slot: number) => latest.current.dot(explorer.state.scene.item[slot] ?? -1);
    const theme = (): Theme => view.theme;
    const minimap = new Minimap(explorer, new Marker(), theme, element.ownerDocument, move, colorOf);
    map.current = minimap;
    element.append(minimap.canvas);
    view.onTheme = () => minimap.recolor();
    const fill = (): void => view.resize({ width: element.clientWidth, height: element.clientHeight });
    const resize = new ResizeObserver(fill);
    resize.observe(element);
    fill();
    takeFocus(view.canvas);
    const lead = (): void => latest.current.onLead();
    for (const kind of ["pointerdown", "wheel", "focus"]) {
      view.canvas.addEventListener(kind, lead, { capture: true, passive: true });
    }
    const off = listen(explorer, view, {
      takesWheel,
      onHover: (at, isHidden) => {
        latest.current.onHover(at.x < 0 ? -1 : view.hovered.slot);
        setTip(isHidden ? undefined : tooltipAt(view, at));
      },
    });
    return () => {
      view.onTheme = undefined;
      minimap.dispose();
      off();
      for (const kind of ["pointerdown", "wheel", "focus"]) {
        view.canvas.removeEventListener(kind, lead, { capture: true });
      }
      resize.disconnect();
    };
  }, [explorer, view, takesWheel]);
  useEffect(() => map.current?.recolor(), [props.dot]);
  return sheet;
}

/** Tells screen readers the name of the canvas and the current item of the tree. */
function useActive(view: CanvasView, name: string, title: string): void {
  const selected = usePart((state) => state.selected);
  useEffect(() => {
    const { canvas } = view;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `${title}. N goes to the next change, question mark lists the keys.`);
    const active = selected[0];
    if (active === undefined) canvas.removeAttribute("aria-activedescendant");
    else canvas.setAttribute("aria-activedescendant", treeId(name, active));
  }, [selected, view, title, name]);
}
