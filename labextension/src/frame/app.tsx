/** A whole mount: bar, picture, side panel, its dialogs and its keys. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Bar } from "./bar";
import { answer, type Page } from "./commands";
import { ExplorerContext } from "./context";
import { ExplorerHelp } from "./help";
import { ExplorerPalette } from "./palette";
import { PicturePane, type PicturePaneProps } from "./picture";
import { Side } from "./side_panel";
import { SkipToGraph } from "./skip_link";
import { type DockState, StageDock, StageNotices, StageStrip } from "./stages";

interface AppProps extends Omit<PicturePaneProps, "page"> {
  readonly title: string;
}

export function App(props: AppProps): JSX.Element {
  const { explorer, view, takesWheel, series, theme, title } = props;
  const { stepping } = explorer;
  const [dock, setDock] = useState<DockState>({});
  const page = useMemo<Page>(
    () => ({ explorer, view, onDock: stepping && setDock }),
    [explorer, view, stepping],
  );
  usePageKeys(page, takesWheel);
  const stages = stepping && { stepping, dock, onDock: setDock, theme, isCalm: view.isCalm };
  return (
    <ExplorerContext.Provider value={explorer}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of everything inside */}
      <div class="exirviz-frame" onKeyDown={(event) => answer(page, event)}>
        <SkipToGraph />
        <Bar
          title={title}
          page={page}
          series={series}
          {...(stages && { strip: <StageStrip {...stages} /> })}
        />
        {stages && <StageNotices {...stages} />}
        <div class="exirviz-main">
          <PicturePane {...props} page={page} />
          <Side page={page} />
          {stages && <StageDock {...stages} />}
        </div>
        <ExplorerPalette page={page} />
        <ExplorerHelp />
      </div>
    </ExplorerContext.Provider>
  );
}

/** An explorer that is alone on its page handles keys before the first click. */
function usePageKeys(page: Page, hasPage: boolean): void {
  useEffect(() => {
    if (!hasPage) return;
    const { ownerDocument } = page.view.canvas;
    const handle = (event: KeyboardEvent): void => {
      if (event.target === ownerDocument.body) answer(page, event);
    };
    ownerDocument.addEventListener("keydown", handle);
    return () => ownerDocument.removeEventListener("keydown", handle);
  }, [page, hasPage]);
}
