/** The whole of one mount: bar, picture with what floats above it, side panel. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Minimap } from "../canvas/minimap";
import { listen } from "../canvas/pointer";
import { mixed, type Theme } from "../canvas/theme";
import type { CanvasView } from "../canvas/view";
import type { Explorer, Marker } from "../explorer";
import { run } from "../explorer/commands";
import { kindLegend, makeOverlay, type Series } from "../overlay";
import { Help } from "../panels/help";
import { type Command, commandOf } from "../panels/shortcuts";
import { Bar } from "./bar";
import { ExplorerContext, useExplorer, usePart } from "./context";
import { copyLink, fullScreen, saveImage } from "./export";
import { FocusBar } from "./focus";
import { Legend } from "./legend";
import { Side } from "./side";
import { Toolbar } from "./toolbar";
import { Tooltip, type TooltipAt } from "./tooltip";
import { AriaTree, treeId } from "./tree";

export interface AppProps {
  readonly explorer: Explorer;
  readonly view: CanvasView;
  readonly marker: Marker;
  readonly theme: () => Theme;
  readonly title: string;
  /** Unlike that of any other mount in the page: ids begin with it. */
  readonly mount: string;
  readonly takesWheel: boolean;
  readonly series: readonly Series[];
}

export function App(props: AppProps): JSX.Element {
  return (
    <ExplorerContext.Provider value={props.explorer}>
      <Bar title={props.title} />
      <div class="exirviz-main">
        <Stage {...props} />
        <Side />
      </div>
      <HelpLayer />
    </ExplorerContext.Provider>
  );
}

function HelpLayer(): JSX.Element | null {
  const explorer = useExplorer();
  const isOpen = usePart((state) => state.isHelpOpen);
  if (!isOpen) return null;
  const close = (): void => explorer.store.set({ isHelpOpen: false });
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  const search = (query: string): void => {
    close();
    void explorer.search.ask(query);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the dialog within
    <div class="exirviz-veil" onKeyDown={(event) => event.key === "Escape" && close()}>
      <Help onClose={close} onSearch={search} isMac={isMac} />
    </div>
  );
}

function Stage({ explorer, view, marker, theme, mount, takesWheel, series }: AppProps): JSX.Element {
  const stage = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<TooltipAt>();
  const picture = usePart((state) => state.picture);
  const scene = usePart((state) => state.scene);
  const choice = usePart((state) => state.overlay);
  const selected = usePart((state) => state.selected);
  const problem = usePart((state) => state.problem);
  const nodes = useMemo(() => nodesOfPicture(picture), [picture]);
  const overlay = useMemo(
    () => makeOverlay(picture.snapshot, nodes, choice, series),
    [picture, choice, series],
  );
  const legend = useMemo(() => overlay?.legend ?? kindLegend(picture.snapshot, nodes), [overlay, picture]);
  const tint = theme();

  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    element.prepend(view.canvas);
    const minimap = new Minimap(explorer, marker, theme, element.ownerDocument, (camera) =>
      view.moved(camera),
    );
    element.append(minimap.canvas);
    const resize = new ResizeObserver(() =>
      view.resize({ width: element.clientWidth, height: element.clientHeight }),
    );
    resize.observe(element);
    view.resize({ width: element.clientWidth, height: element.clientHeight });
    const off = listen(explorer, view, {
      takesWheel,
      onHover: (at) => {
        const { slot, edge } = view.hovered;
        const isNothing = at.x < 0 || (slot < 0 && edge < 0);
        setTip(isNothing ? undefined : { ...at, slot, edge });
      },
    });
    return () => {
      off();
      resize.disconnect();
      minimap.dispose();
    };
  }, [explorer, view]);

  useEffect(() => {
    view.canvas.tabIndex = 0;
    view.canvas.setAttribute("role", "application");
    view.canvas.setAttribute(
      "aria-label",
      "The graph. Arrows follow edges, Enter opens, question mark lists the keys.",
    );
    const active = selected[0];
    if (active === undefined) view.canvas.removeAttribute("aria-activedescendant");
    else view.canvas.setAttribute("aria-activedescendant", treeId(mount, active));
  }, [selected, view]);

  useEffect(() => {
    view.boxPaint = overlay
      ? (slot) => {
          const { item, kind } = view.look().scene;
          const own = item[slot] ?? -1;
          if (kind[slot] !== 0) return undefined;
          const color = overlay.color(picture.nodeOf(own));
          return color && mixed(color.color, tint.box, color.part);
        }
      : undefined;
  }, [overlay, picture, tint]);

  /** What a page can do and an explorer alone cannot. */
  const act = (command: Command): boolean => {
    const { ownerDocument } = view.canvas;
    if (command === "export") void saveImage(explorer, view, "svg", ownerDocument);
    else if (command === "link") void copyLink(explorer, ownerDocument);
    else if (command === "full-screen") void fullScreen(view.canvas.closest(".exirviz-explorer"));
    else return false;
    return true;
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the canvas within
    <div
      class="exirviz-stage"
      ref={stage}
      onKeyDown={(event) => {
        if (event.target !== view.canvas) return;
        const command = commandOf(event, event.target);
        if (!command || !(act(command) || run(explorer, command))) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div class="exirviz-top">
        <Toolbar
          series={series.map(({ label }) => label)}
          onSave={(type) => void saveImage(explorer, view, type, view.canvas.ownerDocument)}
        />
        <FocusBar />
      </div>
      {problem && <div class="exirviz-failed">{problem}</div>}
      <Legend legend={legend} />
      {tip && scene === view.look().scene && <Tooltip at={tip} overlay={overlay} />}
      <AriaTree mount={mount} />
    </div>
  );
}

function nodesOfPicture(picture: Explorer["picture"]): number[] {
  return Array.from(picture.hierarchy.leaf, (leaf) => picture.nodeOf(leaf));
}
