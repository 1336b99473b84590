/** A whole comparison: its bar, the graphs or two texts, the panel, and the keys. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useRoving } from "../../frame/roving_tabindex";
import { SkipToGraph } from "../../frame/skip_link";
import { grouped } from "../../snapshot";
import { visible } from "../../ui/text";
import type { Columns } from "../columns/columns";
import { answerKeys } from "../columns/shortcuts";
import type { MeasurementRuns } from "../measurements/measurement_runs";
import {
  CHANGE_KINDS,
  colorOf,
  inkOn,
  MEASUREMENT_LOOKS,
  type Measurement,
  measurementInk,
  signOf,
} from "./change_colors";
import { MarkLegend, PaintChoice, PaintLegend, usePaint } from "./color_choice";
import { Pane } from "./column_view";
import { ColumnsContext, useColumns, usePairPart } from "./context";
import { useFocusKept } from "./focus_keeping";
import { PairHelp } from "./help";
import { PairPanel } from "./panel";
import { CountsText, PairChoice, useKindText } from "./panel_parts";
import { Find } from "./search";
import { StageChoice } from "./stage_choice";
import { type SuperimposedPainter, SuperimposedView } from "./superimposed_view";
import { PairText, type TextSource } from "./text_view";
import { Threads, type ThreadsProps } from "./threads";
import { ViewModeChoice } from "./view_modes";

interface PairAppProps extends ThreadsProps {
  readonly columns: Columns;
  readonly measured: readonly MeasurementRuns[];
  readonly isDark: boolean;
  readonly takesWheel: boolean;
  readonly text: TextSource;
  readonly superimposedPainter: SuperimposedPainter;
  /** Returns to where the comparison was opened from; absent if there is nothing else. */
  readonly onClose?: (() => void) | undefined;
}

export function PairApp(props: PairAppProps): JSX.Element {
  const { columns, measured, isDark, takesWheel } = props;
  usePageKeys(columns, measured, takesWheel);
  return (
    <ColumnsContext.Provider value={{ columns, measured, isDark }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of everything inside */}
      <div
        class="exirviz-frame"
        style={measurementInks(isDark)}
        onKeyDown={(event) => answerKeys(columns, measured, event)}
      >
        <SkipToGraph />
        <Bar onClose={props.onClose} />
        <Find />
        <Main {...props} />
      </div>
    </ColumnsContext.Provider>
  );
}

/** Text colours for measurements in the panel, as custom properties. */
const measurementInks = (isDark: boolean): Record<string, string> =>
  Object.fromEntries(
    (Object.keys(MEASUREMENT_LOOKS) as Measurement[]).map((of) => [
      `--exirviz-${of}`,
      measurementInk(of, isDark),
    ]),
  );

function Main({
  columns,
  views,
  onPaint,
  mount,
  takesWheel,
  text,
  superimposedPainter,
}: PairAppProps): JSX.Element {
  const viewMode = usePairPart((state) => state.viewMode);
  const [wasSuperimposed, setWasSuperimposed] = useState(false);
  if (viewMode === "superimposed" && !wasSuperimposed) setWasSuperimposed(true);
  const isText = viewMode === "text";
  const room = useFocusKept(viewMode, () => canvasOf(columns, views));
  const isPanelOpen = usePairPart((state) => state.isPanelOpen);
  const isHelpOpen = usePairPart((state) => state.isHelpOpen);
  return (
    <>
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
          {wasSuperimposed && (
            <div class={viewMode === "superimposed" ? "exirviz-panes" : "exirviz-panes is-away"}>
              <SuperimposedView {...{ superimposedPainter, mount, takesWheel }} />
            </div>
          )}
          {isText && <PairText source={text} />}
          <Loading />
          <Legend />
        </div>
        {isPanelOpen && <PairPanel />}
      </div>
      {isHelpOpen && <PairHelp />}
    </>
  );
}

/** The visible canvas, if there is one. */
function canvasOf(columns: Columns, views: PairAppProps["views"]): HTMLCanvasElement | undefined {
  const { viewMode, leader } = columns.state;
  return viewMode === "pictures" ? views[leader]?.canvas : undefined;
}

function Bar({ onClose }: { onClose: (() => void) | undefined }): JSX.Element {
  const columns = useColumns();
  const { row, stageColumns } = columns;
  const { counts } = row.pair(0).changes.comparison;
  const isOneCamera = usePairPart((state) => state.isOneCamera);
  const isPictures = usePairPart((state) => state.viewMode === "pictures");
  const isSameHidden = usePairPart((state) => state.isSameHidden);
  const isPanelOpen = usePairPart((state) => state.isPanelOpen);
  const title = row.columns.map((column) => visible(row.title(column))).join(" → ");
  const tools = useRef<HTMLSpanElement>(null);
  useRoving(tools);
  return (
    <header class={`exirviz-bar exirviz-pair-bar ${stageColumns ? "has-stages" : ""}`}>
      {onClose && <Back onClose={onClose} />}
      {stageColumns ? (
        <StageChoice stageColumns={stageColumns} />
      ) : (
        <span class="exirviz-program" title={title}>
          {title}
        </span>
      )}
      {row.pairs.length === 1 && !stageColumns && (
        <>
          <CountsText counts={counts} />
          <span class="exirviz-dim exirviz-pair-same">{grouped(counts.same ?? 0)} unchanged</span>
        </>
      )}
      <span class="exirviz-tools" role="toolbar" aria-label="Comparison" ref={tools}>
        <Stepper />
        <Toggle
          isOn={isSameHidden}
          title="Hide unchanged nodes (H)"
          onClick={() => void columns.hideSame(!isSameHidden)}
        >
          hide unchanged
        </Toggle>
        {isPictures && (
          <Toggle
            isOn={isOneCamera}
            title="Move all views together (C)"
            onClick={() => columns.cameras.setOne(!isOneCamera)}
          >
            sync views
          </Toggle>
        )}
        <FindButton />
        <ViewModeChoice />
        <button type="button" class="exirviz-button" title="Fit all (0)" onClick={() => columns.fit()}>
          fit
        </button>
        {!isPanelOpen && (
          <button
            type="button"
            class="exirviz-button"
            onClick={() => columns.store.set({ isPanelOpen: true })}
          >
            details
          </button>
        )}
        <button
          type="button"
          class="exirviz-button"
          title="Keys (?)"
          aria-label="Keys"
          onClick={() => columns.store.set({ isHelpOpen: true })}
        >
          ?
        </button>
      </span>
    </header>
  );
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

/** Takes the focus from what it hides, so that its keys work, but not from a text field elsewhere. */
function Back({ onClose }: { onClose: () => void }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const host = button.current?.closest(".exirviz-explorer")?.parentElement;
    const { activeElement, body } = document;
    const isFree = !activeElement || activeElement === body || host?.contains(activeElement);
    if (isFree) button.current?.focus({ preventScroll: true });
  }, []);
  return (
    <button type="button" class="exirviz-button" ref={button} onClick={onClose}>
      ‹ back
    </button>
  );
}

/** Opens the search, which acts on the graph used last. */
function FindButton(): JSX.Element {
  const columns = useColumns();
  const isFinding = usePairPart((state) => state.isFinding);
  return (
    <Toggle isOn={isFinding} title="Search (/)" onClick={() => columns.store.set({ isFinding: !isFinding })}>
      find
    </Toggle>
  );
}

function Stepper(): JSX.Element {
  const columns = useColumns();
  usePairPart((state) => state.match);
  usePairPart((state) => state.at);
  const { changeCount, position } = columns;
  return (
    <span class="exirviz-joined exirviz-steps">
      <button
        type="button"
        class="exirviz-button"
        aria-label="Previous change"
        title="Previous change (P)"
        disabled={changeCount === 0}
        onClick={() => void columns.step(-1)}
      >
        ↑
      </button>
      <span class="exirviz-button exirviz-stepper" aria-live="polite">
        {changeCount === 0
          ? "no change"
          : `${position < 0 ? "–" : grouped(position + 1)} of ${grouped(changeCount)}`}
      </span>
      <button
        type="button"
        class="exirviz-button"
        aria-label="Next change"
        title="Next change (N)"
        disabled={changeCount === 0}
        onClick={() => void columns.step(1)}
      >
        ↓
      </button>
    </span>
  );
}

function Toggle(props: { isOn: boolean; title: string; onClick: () => void; children: string }): JSX.Element {
  return (
    <button
      type="button"
      class={props.isOn ? "exirviz-button is-on" : "exirviz-button"}
      aria-pressed={props.isOn}
      title={props.title}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

function Legend(): JSX.Element {
  const kindText = useKindText();
  const isSuperimposed = usePairPart((state) => state.viewMode === "superimposed");
  const isPictures = usePairPart((state) => state.viewMode === "pictures");
  const paint = usePaint();
  const isMany = useColumns().row.pairs.length > 1 && isPictures;
  const isText = !isPictures && !isSuperimposed;
  if (!isText && paint !== "changes") {
    return (
      <footer class="exirviz-pair-legend">
        <PaintChoice />
        <PaintLegend paint={paint} />
        {isSuperimposed && <span class="exirviz-dim">removed nodes are dashed</span>}
      </footer>
    );
  }
  return (
    <footer class="exirviz-pair-legend">
      {!isText && <PaintChoice />}
      {CHANGE_KINDS.map((kind) => (
        <span key={kind}>
          <b class="exirviz-disc" style={{ color: inkOn(kind), background: colorOf(kind) }}>
            {signOf(kind)}
          </b>{" "}
          {kindText(kind)}
        </span>
      ))}
      {!isText && <MarkLegend />}
      <span class="exirviz-dim">unchanged nodes are dimmed{isSuperimposed && ", removed ones dashed"}</span>
      {isMany && <span class="exirviz-dim">● changed here · ○ changes in the next column</span>}
    </footer>
  );
}

/** A comparison that is alone on its page handles keys before the first click. */
function usePageKeys(columns: Columns, measured: readonly MeasurementRuns[], hasPage: boolean): void {
  useEffect(() => {
    if (!hasPage) return undefined;
    const handle = (event: KeyboardEvent): void => {
      if (event.target === document.body) answerKeys(columns, measured, event);
    };
    document.addEventListener("keydown", handle);
    return () => document.removeEventListener("keydown", handle);
  }, [columns, measured, hasPage]);
}
