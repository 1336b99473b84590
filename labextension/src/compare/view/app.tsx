/** A whole comparison: its bar, the graphs or two texts, the panel, and the keys. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CanvasView } from "../../canvas/view";
import { groupsOf, Help } from "../../frame/help";
import { Palette } from "../../frame/palette";
import { SkipToGraph } from "../../frame/skip_link";
import { entriesOf } from "../../ui/commands";
import { visible } from "../../ui/text";
import type { Columns } from "../columns/columns";
import { answerKeys, COMPARE_COMMANDS, type Compared } from "../columns/commands";
import type { MeasurementRuns } from "../measurements/measurement_runs";
import { Bar } from "./bar";
import {
  CHANGE_KINDS,
  colorOf,
  MEASUREMENT_LOOKS,
  type Measurement,
  measurementTextColor,
  signOf,
  textColorOn,
} from "./change_colors";
import { MarkLegend, PaintLegend, usePaint } from "./color_choice";
import { Pane } from "./column_view";
import { ColumnsContext, useColumns, usePairPart } from "./context";
import { useFocusKept } from "./focus_keeping";
import { PairPanel } from "./panel";
import { PairChoice, useKindText } from "./panel_parts";
import { PairText, type TextSource } from "./text_view";
import { Threads, type ThreadsProps } from "./threads";

interface PairAppProps extends ThreadsProps {
  readonly columns: Columns;
  readonly measured: readonly MeasurementRuns[];
  readonly isDark: boolean;
  readonly takesWheel: boolean;
  readonly text: TextSource;
  /** Returns to where the comparison was opened from; absent if there is nothing else. */
  readonly onClose?: (() => void) | undefined;
}

export function PairApp(props: PairAppProps): JSX.Element {
  const { columns, measured, views, isDark, takesWheel, onClose } = props;
  const on: Compared = {
    columns,
    measured,
    page: () => ({ explorer: columns.leading, view: views[columns.state.leader] as CanvasView }),
    onClose,
  };
  usePageKeys(on, takesWheel);
  return (
    <ColumnsContext.Provider value={{ columns, measured, isDark }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of everything inside */}
      <div
        class="exirviz-frame"
        style={measurementTextColors(isDark)}
        onKeyDown={(event) => answerKeys(on, event)}
      >
        <SkipToGraph />
        <Bar on={on} />
        <Main {...props} />
        <Dialogs on={on} />
      </div>
    </ColumnsContext.Provider>
  );
}

/** Text colours for measurements in the panel, as custom properties. */
const measurementTextColors = (isDark: boolean): Record<string, string> =>
  Object.fromEntries(
    (Object.keys(MEASUREMENT_LOOKS) as Measurement[]).map((of) => [
      `--exirviz-${of}`,
      measurementTextColor(of, isDark),
    ]),
  );

function Main({ columns, views, onPaint, mount, takesWheel, text }: PairAppProps): JSX.Element {
  const viewMode = usePairPart((state) => state.viewMode);
  const isText = viewMode === "text";
  const room = useFocusKept(viewMode, () => canvasOf(columns, views));
  const isPanelOpen = usePairPart((state) => state.isPanelOpen);
  return (
    <div class="exirviz-main" data-columns={views.length} style={{ "--exirviz-columns": views.length }}>
      <div class="exirviz-pair" ref={room} tabIndex={-1}>
        <div class={viewMode === "pictures" ? "exirviz-panes" : "exirviz-panes is-away"}>
          {views.map((view, column) => (
            <Pane
              key={columns.stageColumns?.ids[column] ?? column}
              {...{ column, view, mount, takesWheel }}
            />
          ))}
          <Threads mount={mount} views={views} onPaint={onPaint} />
        </div>
        {viewMode !== "pictures" && columns.row.pairs.length > 1 && <PairChoice />}
        {isText && <PairText source={text} />}
        <Loading />
        <Legend />
      </div>
      {isPanelOpen && <PairPanel />}
    </div>
  );
}

/** The visible canvas, if there is one. */
function canvasOf(columns: Columns, views: PairAppProps["views"]): HTMLCanvasElement | undefined {
  const { viewMode, leader } = columns.state;
  return viewMode === "pictures" ? views[leader]?.canvas : undefined;
}

/** Covers the graphs while others are loaded, and shows why they could not be. */
function Loading(): JSX.Element | null {
  const columns = useColumns();
  const isBusy = usePairPart((state) => state.isBusy);
  const problem = usePairPart((state) => state.problem);
  if (problem)
    return (
      <div class="exirviz-failed exirviz-waits" role="alert">
        {visible(problem)}{" "}
        <button type="button" class="exirviz-button" onClick={() => columns.store.set({ problem: "" })}>
          Close
        </button>
      </div>
    );
  return isBusy ? (
    <div class="exirviz-waits" role="status">
      Comparing…
    </div>
  ) : null;
}

function Legend(): JSX.Element {
  const kindText = useKindText();
  const isPictures = usePairPart((state) => state.viewMode === "pictures");
  const paint = usePaint();
  const isMany = useColumns().row.pairs.length > 1 && isPictures;
  if (isPictures && paint !== "changes") {
    return (
      <footer class="exirviz-pair-legend">
        <PaintLegend paint={paint} />
      </footer>
    );
  }
  return (
    <footer class="exirviz-pair-legend">
      {CHANGE_KINDS.map((kind) => (
        <span key={kind}>
          <b class="exirviz-disc" style={{ color: textColorOn(kind), background: colorOf(kind) }}>
            {signOf(kind)}
          </b>{" "}
          {kindText(kind)}
        </span>
      ))}
      {isPictures && <MarkLegend />}
      <span class="exirviz-dim">unchanged nodes are dimmed</span>
      {isMany && <span class="exirviz-dim">● changed here · ○ changes in the next column</span>}
    </footer>
  );
}

/** A comparison that is alone on its page handles keys before the first click. */
function usePageKeys(on: Compared, hasPage: boolean): void {
  const latest = useRef(on);
  latest.current = on;
  useEffect(() => {
    if (!hasPage) return undefined;
    const handle = (event: KeyboardEvent): void => {
      if (event.target === document.body) answerKeys(latest.current, event);
    };
    document.addEventListener("keydown", handle);
    return () => document.removeEventListener("keydown", handle);
  }, [hasPage]);
}

function Dialogs({ on }: { on: Compared }): JSX.Element {
  const { columns } = on;
  const isHelpOpen = usePairPart((state) => state.isHelpOpen);
  const isPaletteOpen = usePairPart((state) => state.isPaletteOpen);
  const closeHelp = (): void => columns.store.set({ isHelpOpen: false });
  return (
    <>
      {isHelpOpen && (
        <Help
          groups={groupsOf(COMPARE_COMMANDS)}
          onClose={closeHelp}
          onSearch={(query) => {
            closeHelp();
            void columns.leading.search.ask(query);
          }}
        />
      )}
      {isPaletteOpen && (
        <Palette
          hint="Type a command: text, hide, fold…"
          entries={() => entriesOf(COMPARE_COMMANDS, on)}
          onClose={() => columns.store.set({ isPaletteOpen: false })}
          onRun={() => on.page().view.canvas.focus()}
        />
      )}
    </>
  );
}
