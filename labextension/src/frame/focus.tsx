/** What can be done with what is selected: light up what it comes from or goes to, step by step; look closer. */
import type { JSX } from "preact";
import type { Direction } from "../store";
import { useExplorer, usePart } from "./context";
import { GroupButtons } from "./groupbar";

const DIRECTIONS: readonly { direction: Direction; title: string; hint: string }[] = [
  { direction: "ancestors", title: "ancestors", hint: "Light up what it is computed from (A: a step more)" },
  {
    direction: "descendants",
    title: "descendants",
    hint: "Light up what is computed from it (D: a step more)",
  },
  { direction: "both", title: "both", hint: "Light up both (S: a step more)" },
];

export function FocusBar(): JSX.Element | null {
  const explorer = useExplorer();
  const selected = usePart((state) => state.selected);
  const focus = usePart((state) => state.focus);
  if (selected.length === 0) return null;
  const all = Number.POSITIVE_INFINITY;
  const choose = (direction: Direction): void =>
    explorer.setFocus(focus?.direction === direction ? undefined : { direction, steps: focus?.steps ?? all });
  const steps = (by: number): void => {
    if (!focus) return;
    const now = Number.isFinite(focus.steps) ? focus.steps : 0;
    const next = now + by;
    explorer.setFocus({ ...focus, steps: next < 1 ? all : next });
  };
  return (
    <div class="exirviz-focus" role="toolbar" aria-label="Selection">
      <GroupButtons />
      {DIRECTIONS.map(({ direction, title, hint }) => (
        <button
          type="button"
          key={direction}
          title={hint}
          aria-pressed={focus?.direction === direction}
          onClick={() => choose(direction)}
        >
          {title}
        </button>
      ))}
      {selected.length > 1 && (
        <button
          type="button"
          title="Light up all paths between the first and the last selected (B)"
          aria-pressed={focus?.direction === "between"}
          onClick={() => choose("between")}
        >
          paths between
        </button>
      )}
      {focus && focus.direction !== "between" && (
        <span class="exirviz-steps">
          <button type="button" aria-label="A step less" onClick={() => steps(-1)}>
            −
          </button>
          <span>
            {Number.isFinite(focus.steps)
              ? `${focus.steps} ${focus.steps === 1 ? "step" : "steps"}`
              : "all steps"}
          </span>
          <button type="button" aria-label="A step more" onClick={() => steps(1)}>
            +
          </button>
        </span>
      )}
      <button type="button" title="Look closer at the selection (Z)" onClick={() => explorer.fitSelection()}>
        zoom
      </button>
    </div>
  );
}
