/** A whole mount: bar, picture, side panel, help, and its keys. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Help } from "../panels/help";
import { isMac } from "../ui/shortcuts";
import { Bar } from "./bar";
import { ExplorerContext, useExplorer, usePart } from "./context";
import { DialogBackdrop } from "./dialog_backdrop";
import { answer, usePageKeys } from "./keys";
import { PaletteLayer } from "./palette";
import { PicturePane, type PicturePaneProps } from "./picture";
import { Side } from "./side_panel";
import { SkipToGraph } from "./skip_link";
import { type DockState, StageDock, StageNotices, StageStrip } from "./stages";

interface AppProps extends PicturePaneProps {
  readonly title: string;
}

export function App(props: AppProps): JSX.Element {
  const { explorer, view, takesWheel } = props;
  const onKeyDown = (event: KeyboardEvent): void => answer(explorer, view, event);
  usePageKeys(explorer, view, takesWheel);
  return (
    <ExplorerContext.Provider value={explorer}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of everything inside */}
      <div class="exirviz-frame" onKeyDown={onKeyDown}>
        <SkipToGraph />
        <Staged title={props.title} theme={props.theme} view={view}>
          <PicturePane {...props} />
          <Side />
        </Staged>
        <HelpLayer />
      </div>
    </ExplorerContext.Provider>
  );
}

/** The bar and the picture. Messages about stages are between them or over the picture. */
function Staged({
  title,
  theme,
  view,
  children,
}: Pick<AppProps, "title" | "theme" | "view"> & { children: ComponentChildren }): JSX.Element {
  const { stepping } = useExplorer();
  const [dock, setDock] = useState<DockState>({});
  const stages = stepping && { stepping, dock, onDock: setDock, theme, isCalm: view.isCalm };
  return (
    <>
      {stages ? <Bar title={title} strip={<StageStrip {...stages} />} /> : <Bar title={title} />}
      {stages && <StageNotices {...stages} />}
      <div class="exirviz-main">
        {children}
        {stages && <StageDock {...stages} />}
      </div>
      <PaletteLayer view={view} onDock={setDock} />
    </>
  );
}

function HelpLayer(): JSX.Element | null {
  const explorer = useExplorer();
  const isOpen = usePart((state) => state.isHelpOpen);
  if (!isOpen) return null;
  const close = (): void => explorer.store.set({ isHelpOpen: false });
  const search = (query: string): void => {
    close();
    void explorer.search.ask(query);
  };
  return (
    <DialogBackdrop onClose={close}>
      <Help onClose={close} onSearch={search} isMac={isMac()} />
    </DialogBackdrop>
  );
}
