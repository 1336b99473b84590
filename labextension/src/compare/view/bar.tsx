/** The bar of a comparison: its stages or title, the steps through its changes, and the same tools as an explorer has. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { More, ShowInspector } from "../../frame/bar";
import { titled } from "../../frame/commands";
import { ExplorerContext } from "../../frame/context";
import { Search } from "../../frame/search";
import { grouped } from "../../snapshot";
import { Grid, Pill } from "../../stages/view";
import { entriesOf } from "../../ui/commands";
import { visible } from "../../ui/text";
import { COMPARE_COMMANDS, type Compared } from "../columns/commands";
import type { StageColumns } from "../columns/stage_columns";
import { PaintChoice } from "./color_choice";
import { useColumns, usePairPart } from "./context";

export function Bar({ on }: { on: Compared }): JSX.Element {
  const { columns, onClose } = on;
  const { row, stageColumns } = columns;
  const isPanelOpen = usePairPart((state) => state.isPanelOpen);
  const leader = usePairPart((state) => state.leader);
  const title = row.columns.map((column) => visible(row.title(column))).join(" → ");
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
      <Stepper />
      <div class="exirviz-tools" role="toolbar" aria-label="Comparison">
        <ExplorerContext.Provider value={columns.leading} key={leader}>
          <Search of={visible(columns.title(leader))} />
        </ExplorerContext.Provider>
        <PaintChoice />
        <button
          type="button"
          class="exirviz-button"
          title={titled("Fit all", "fit")}
          onClick={() => columns.fit()}
        >
          Fit
        </button>
        <More entries={() => entriesOf(COMPARE_COMMANDS, on, ({ place }) => place === "menu")} />
        {!isPanelOpen && <ShowInspector onShow={() => columns.store.set({ isPanelOpen: true })} />}
      </div>
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
        title={titled("Previous change", "previous")}
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
        title={titled("Next change", "next")}
        disabled={changeCount === 0}
        onClick={() => void columns.step(1)}
      >
        ↓
      </button>
    </span>
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
