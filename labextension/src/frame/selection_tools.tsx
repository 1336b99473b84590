/** Tools for the selection: highlight its inputs or outputs step by step; zoom to it. */
import type { JSX } from "preact";
import type { Direction } from "../store";
import { keyHint } from "../ui/shortcuts";
import { useExplorer, usePart } from "./context";
import { Toggle, ToggleSimilar, Unroll } from "./group_tools";
import { selectionActions } from "./selection_actions";
import type { Tool } from "./toolbar_overflow";

interface Way {
  readonly direction: Direction;
  readonly sign: string;
  readonly title: string;
  readonly hint: string;
}

const WAYS: readonly Way[] = [
  {
    direction: "ancestors",
    sign: "↑",
    title: "Inputs",
    hint: `Highlight inputs, direct and indirect (${keyHint("ancestors")}: one step more)`,
  },
  {
    direction: "descendants",
    sign: "↓",
    title: "Users",
    hint: `Highlight users, direct and indirect (${keyHint("descendants")}: one step more)`,
  },
  {
    direction: "both",
    sign: "↕",
    title: "Both",
    hint: `Highlight inputs and users (${keyHint("neighbourhood")}: one step more)`,
  },
];

export function SelectionTools(): JSX.Element | null {
  const isAny = usePart((state) => state.selected.length > 0);
  if (!isAny) return null;
  return (
    <fieldset class="exirviz-selection" aria-label="Selection">
      <Toggle />
      <ToggleSimilar />
      <Unroll />
      <Reach />
      <Between />
      <Steps />
      <Zoom />
      <ActionTools />
    </fieldset>
  );
}

/** Tools that do not fit into the toolbar. */
export function MovedSelectionTools({ moved }: { moved: ReadonlySet<Tool> }): JSX.Element | null {
  const isAny = usePart((state) => state.selected.length > 0);
  if (!isAny) return null;
  return (
    <>
      {moved.has("toggle-similar") && <ToggleSimilar />}
      {moved.has("unroll") && <Unroll />}
      {moved.has("reach") && <Reach />}
      {moved.has("between") && <Between />}
      {moved.has("steps") && <Steps />}
      {moved.has("zoom") && <Zoom />}
      <ActionTools only={moved} />
    </>
  );
}

/** Find its line, colour similar ops, bookmark it. `only`: some of these. */
function ActionTools({ only }: { only?: ReadonlySet<Tool> }): JSX.Element {
  const explorer = useExplorer();
  usePart((state) => state.selected);
  usePart((state) => state.edge);
  return (
    <>
      {selectionActions(explorer)
        .filter(({ tool }) => !only || only.has(tool))
        .map(({ tool, word, title, command, run }) => (
          <button
            type="button"
            key={tool}
            data-tool={tool}
            title={command ? `${title} (${keyHint(command)})` : title}
            onClick={() => void run()}
          >
            {word}
          </button>
        ))}
    </>
  );
}

/** What is highlighted, and the buttons to change it; a second click clears it. */
function useFocusChoice(): { direction: Direction | undefined; choose: (direction: Direction) => void } {
  const explorer = useExplorer();
  const focus = usePart((state) => state.focus);
  const choose = (direction: Direction): void =>
    explorer.setFocus(
      focus?.direction === direction
        ? undefined
        : { direction, steps: focus?.steps ?? Number.POSITIVE_INFINITY },
    );
  return { direction: focus?.direction, choose };
}

function Reach(): JSX.Element {
  const { direction: highlighted, choose } = useFocusChoice();
  return (
    <span class="exirviz-joined" data-tool="reach">
      {WAYS.map(({ direction, sign, title, hint }) => (
        <button
          type="button"
          key={direction}
          title={hint}
          aria-label={title}
          aria-pressed={highlighted === direction}
          onClick={() => choose(direction)}
        >
          {sign}
          <span class="exirviz-word">{title}</span>
        </button>
      ))}
    </span>
  );
}

function Between(): JSX.Element | null {
  const { direction, choose } = useFocusChoice();
  const isSeveral = usePart((state) => state.selected.length > 1);
  if (!isSeveral) return null;
  return (
    <button
      type="button"
      data-tool="between"
      title={`Highlight all paths between the selected boxes (${keyHint("between")})`}
      aria-pressed={direction === "between"}
      onClick={() => choose("between")}
    >
      Paths<span class="exirviz-word"> between</span>
    </button>
  );
}

function Zoom(): JSX.Element {
  const explorer = useExplorer();
  return (
    <button
      type="button"
      data-tool="zoom"
      title={`Zoom to selection (${keyHint("fit-selection")})`}
      onClick={() => explorer.fitSelection()}
    >
      Zoom
    </button>
  );
}

/** How many steps the highlight reaches. */
function Steps(): JSX.Element | null {
  const explorer = useExplorer();
  const focus = usePart((state) => state.focus);
  if (!focus || focus.direction === "between") return null;
  const go = (by: number): void => {
    const now = Number.isFinite(focus.steps) ? focus.steps : 0;
    const next = now + by;
    explorer.setFocus({ ...focus, steps: next < 1 ? Number.POSITIVE_INFINITY : next });
  };
  const text = Number.isFinite(focus.steps)
    ? `${focus.steps} ${focus.steps === 1 ? "step" : "steps"}`
    : "all steps";
  return (
    <span class="exirviz-joined exirviz-steps" data-tool="steps">
      <button type="button" aria-label="One step fewer" onClick={() => go(-1)}>
        −
      </button>
      <span role="status">{text}</span>
      <button type="button" aria-label="One step more" onClick={() => go(1)}>
        +
      </button>
    </span>
  );
}
