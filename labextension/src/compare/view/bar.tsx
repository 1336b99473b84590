/** The bar of a comparison: its stages or title, its tools, and the search below it. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ExplorerContext } from "../../frame/context";
import { useRoving } from "../../frame/roving_tabindex";
import { Search } from "../../frame/search";
import { grouped } from "../../snapshot";
import { dialectText } from "../../stages/stage_text";
import { Grid, Pill } from "../../stages/view";
import { keyHint } from "../../ui/shortcuts";
import { visible } from "../../ui/text";
import type { StageColumns } from "../columns/stage_columns";
import type { ViewMode } from "../model/state";
import { readabilityOf } from "../superimposed/readability";
import { useColumns, usePair, usePairPart } from "./context";
import { CallsText } from "./panel_parts";

export function Bar({ onClose }: { onClose: (() => void) | undefined }): JSX.Element {
  const columns = useColumns();
  const { row, stageColumns } = columns;
  const { comparison } = row.pair(0).changes;
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
          <CallsText comparison={comparison} />
          <span class="exirviz-dim exirviz-pair-same">{grouped(comparison.counts.same ?? 0)} unchanged</span>
        </>
      )}
      <span class="exirviz-tools" role="toolbar" aria-label="Comparison" ref={tools}>
        <Stepper />
        <Toggle
          isOn={isSameHidden}
          title="Hide unchanged nodes (H)"
          onClick={() => void columns.hideSame(!isSameHidden)}
        >
          Hide unchanged
        </Toggle>
        {isPictures && (
          <Toggle
            isOn={isOneCamera}
            title="Move all views together (C)"
            onClick={() => columns.cameras.setOne(!isOneCamera)}
          >
            Sync views
          </Toggle>
        )}
        <FindButton />
        <ViewModeChoice />
        <button type="button" class="exirviz-button" title="Fit all (0)" onClick={() => columns.fit()}>
          Fit
        </button>
        {!isPanelOpen && (
          <button
            type="button"
            class="exirviz-button"
            title={`Show inspector (${keyHint("panel")})`}
            onClick={() => columns.store.set({ isPanelOpen: true })}
          >
            Inspector
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
      ‹ Back
    </button>
  );
}

/** Opens the search, which acts on the graph used last. */
function FindButton(): JSX.Element {
  const columns = useColumns();
  const isFinding = usePairPart((state) => state.isFinding);
  return (
    <Toggle isOn={isFinding} title="Search (/)" onClick={() => columns.store.set({ isFinding: !isFinding })}>
      Search
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

/**
 * The stages of the session in the bar: those in a column are filled; a click adds or removes one. Changes
 * are those between neighbouring columns, not between a stage and its parent.
 */
function StageChoice({ stageColumns }: { stageColumns: StageColumns }): JSX.Element {
  const { source } = stageColumns.stages;
  const [, draw] = useState(source.state);
  useEffect(() => source.subscribe(() => draw(source.state)), [source]);
  return (
    <nav class="exirviz-strip" aria-label="Stages in columns">
      <div class="exirviz-stages">
        <Grid
          tree={stageColumns.tree}
          pill={(record) => (
            <Pill
              record={record}
              isHere={stageColumns.has(record.id)}
              hint={hintOf(stageColumns, record.id)}
              isDisabled={stageColumns.whyNotToggled(record.id) !== ""}
              below={dialectText(record) || "–"}
              onGo={() => stageColumns.toggle(record.id)}
            />
          )}
        />
      </div>
    </nav>
  );
}

function hintOf(stageColumns: StageColumns, id: string): string {
  const otherwise = stageColumns.has(id) ? "Press to remove its column" : "Press to show it as a column";
  return stageColumns.whyNotToggled(id) || otherwise;
}

const TITLES: Readonly<Record<ViewMode, readonly [name: string, title: string]>> = {
  pictures: ["Side by side", "Both graphs side by side"],
  superimposed: ["Superimposed", "Both programs in one graph (O)"],
  text: ["Text", "Both programs as text (T)"],
};

function ViewModeChoice(): JSX.Element {
  const columns = useColumns();
  const { changes } = usePair();
  const viewMode = usePairPart((state) => state.viewMode);
  const fitness = useMemo(() => readabilityOf(changes), [changes]);
  return (
    <fieldset class="exirviz-joined exirviz-view-modes" aria-label="View">
      {(Object.keys(TITLES) as ViewMode[]).map((each) => {
        const [name, title] = TITLES[each];
        const isPoor = each === "superimposed" && fitness.is !== "fit";
        return (
          <button
            key={each}
            type="button"
            class={`exirviz-button ${each === viewMode ? "is-on" : ""} ${isPoor ? "is-poor" : ""}`}
            aria-pressed={each === viewMode}
            title={isPoor ? `${title}: hard to read, ${fitness.share}` : title}
            onClick={() => columns.see(each)}
          >
            {name}
          </button>
        );
      })}
    </fieldset>
  );
}

export function Find(): JSX.Element | null {
  const columns = useColumns();
  const isFinding = usePairPart((state) => state.isFinding);
  const leader = usePairPart((state) => state.leader);
  const row = useRef<HTMLDivElement>(null);
  // At once: the next key is meant for the box.
  useLayoutEffect(() => {
    if (isFinding) row.current?.querySelector("input")?.focus();
  }, [isFinding, leader]);
  if (!isFinding) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves the box, whatever in it has the focus
    <div
      class="exirviz-compare-search"
      ref={row}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || columns.leading.state.query) return;
        event.stopPropagation();
        columns.store.set({ isFinding: false });
      }}
    >
      <ExplorerContext.Provider value={columns.leading} key={leader}>
        <Search />
      </ExplorerContext.Provider>
      <span class="exirviz-dim">in {visible(columns.row.title(leader))}</span>
      <button type="button" class="exirviz-button" onClick={() => columns.store.set({ isFinding: false })}>
        Close
      </button>
    </div>
  );
}
