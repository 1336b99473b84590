/** The whole of one mount: bar, picture, side panel, the help above them; and the keys of all of it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Help } from "../panels/help";
import { Bar } from "./bar";
import { ExplorerContext, useExplorer, usePart } from "./context";
import { answer, usePageKeys } from "./keys";
import { PicturePane, type PicturePaneProps } from "./picture";
import { Side } from "./side";
import { type DockState, StageDock, StageStrip } from "./stages";

export interface AppProps extends PicturePaneProps {
  readonly title: string;
}

export function App(props: AppProps): JSX.Element {
  const { explorer, view, takesWheel } = props;
  const onKeyDown = (event: KeyboardEvent): void => answer(explorer, view, event);
  usePageKeys(explorer, view, takesWheel);
  return (
    <ExplorerContext.Provider value={explorer}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of everything within */}
      <div class="exirviz-frame" onKeyDown={onKeyDown}>
        <Top title={props.title} theme={props.theme} />
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
function Top({ title, theme }: Pick<AppProps, "title" | "theme">): JSX.Element {
  const { stepping } = useExplorer();
  const [dock, setDock] = useState<DockState>({});
  if (!stepping) return <Bar title={title} />;
  const stages = { stepping, dock, onDock: setDock, theme };
  return (
    <>
      <Bar title={title} strip={<StageStrip {...stages} />} />
      <StageDock {...stages} />
    </>
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
