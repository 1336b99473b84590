/** The whole of one mount: bar, picture, side panel, the help above them; and the keys of all of it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CanvasView } from "../canvas/view";
import type { Explorer } from "../explorer";
import { type PageCommand, run } from "../explorer/commands";
import { Help } from "../panels/help";
import { type Command, commandOf, isOfPicture } from "../panels/shortcuts";
import { Bar } from "./bar";
import { ExplorerContext, useExplorer, usePart } from "./context";
import { copyLink, fullScreen, saveImage } from "./export";
import { PicturePane, type PicturePaneProps } from "./picture";
import { Side } from "./side";
import { type DockState, StageDock, StageStrip } from "./stages";

export interface AppProps extends PicturePaneProps {
  readonly title: string;
}

export function App(props: AppProps): JSX.Element {
  const { explorer, view } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || explorer.state.isHelpOpen) return;
    const command = commandOf(event, event.target);
    // Elsewhere than on the picture, arrows, Enter and Space belong to what has the focus.
    if (!command || (event.target !== view.canvas && isOfPicture(event))) return;
    if (isOfPage(command)) PAGE[command](explorer, view);
    else run(explorer, command);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <ExplorerContext.Provider value={explorer}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of everything within */}
      <div class="exirviz-frame" onKeyDown={onKeyDown}>
        <Top title={props.title} />
        <div class="exirviz-main">
          <PicturePane {...props} />
          <Side />
        </div>
        <HelpLayer />
      </div>
    </ExplorerContext.Provider>
  );
}

/** The bar, and below it what the stages have to say. */
function Top({ title }: { title: string }): JSX.Element {
  const { stepping } = useExplorer();
  const [dock, setDock] = useState<DockState>({});
  if (!stepping) return <Bar title={title} />;
  const stages = { stepping, dock, onDock: setDock };
  return (
    <>
      <Bar title={title} strip={<StageStrip {...stages} />} />
      <StageDock {...stages} />
    </>
  );
}

const PAGE: Readonly<Record<PageCommand, (explorer: Explorer, view: CanvasView) => unknown>> = {
  // At once: what is typed next is meant for the box.
  search: (_, view) => rootOf(view)?.querySelector<HTMLInputElement>(".ev-search-input")?.select(),
  export: (explorer, view) => saveImage(explorer, view, { type: "svg", of: "all", scale: 1 }),
  link: (explorer, view) => copyLink(explorer, view.canvas.ownerDocument),
  "full-screen": (_, view) => fullScreen(rootOf(view)),
};

const rootOf = (view: CanvasView): Element | null => view.canvas.closest(".exirviz-explorer");

const isOfPage = (command: Command): command is PageCommand => command in PAGE;

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
    <div
      class="exirviz-veil"
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape" || event.key === "?") close();
      }}
    >
      <Help onClose={close} onSearch={search} isMac={isMac} />
    </div>
  );
}
