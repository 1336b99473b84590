/** The stages in a strip: a pill for each, branches below their line, and what goes on from there. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { StageTree } from "../schema";
import { type Move, moved } from "../shape";
import type { StageActions } from "../source";
import { Grid } from "./grid";
import { Pill } from "./pill";
import { type StageDrag, useStageDrag } from "./stage_drag";

interface StripProps {
  readonly tree: StageTree;
  /** The stage that is shown. */
  readonly at: string;
  readonly actions: StageActions | string;
  /** Whether the next steps are shown. */
  readonly isStepping: boolean;
  readonly onGo: (stage: string) => void;
  /** The user begins to drag along a line of stages. */
  readonly onDrag?: ((line: readonly string[]) => StageDrag) | undefined;
  readonly onSteps: () => void;
  /** Shows stages side by side; else the reason why not. */
  readonly onCompare: (() => void) | string;
}

const MOVES: Readonly<Record<string, Move>> = {
  ArrowLeft: "parent",
  ArrowRight: "child",
  ArrowUp: "above",
  ArrowDown: "below",
  Home: "first",
  End: "last",
};

export function Strip(props: StripProps): JSX.Element {
  const { tree, at, onGo } = props;
  const strip = useRef<HTMLDivElement>(null);
  const { isDragging, handlers } = useStageDrag(strip, props);
  useEffect(() => {
    const place = strip.current;
    if (!place || isDragging()) return;
    const here = (): HTMLElement | null => place.querySelector<HTMLElement>("[aria-selected=true]");
    if (place.contains(place.ownerDocument.activeElement)) here()?.focus({ preventScroll: true });
    const show = (): void => scrollTo(place, here());
    show();
    // A narrower strip may have hidden the stage.
    const resize = new ResizeObserver(show);
    resize.observe(place);
    return () => resize.disconnect();
  }, [at]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = event.altKey || event.ctrlKey || event.metaKey ? undefined : MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const next = moved(tree, at, move);
    if (next !== undefined) onGo(next);
  };
  return (
    <nav class="exirviz-strip" aria-label="Stages">
      <div
        class="exirviz-stages"
        role="tree"
        aria-label="Stages"
        ref={strip}
        onKeyDown={onKeyDown}
        {...handlers}
      >
        <Grid
          tree={tree}
          pill={(record, level) => (
            <Pill record={record} isHere={record.id === at} level={level} onGo={() => onGo(record.id)} />
          )}
        />
      </div>
      <Next {...props} />
    </nav>
  );
}

/** Scrolls only the strip, not the page, until the pill and its arrow are visible. */
function scrollTo(strip: HTMLElement, pill: HTMLElement | null): void {
  if (!pill) return;
  const [room, box] = [strip.getBoundingClientRect(), pill.getBoundingClientRect()];
  const [left, top] = [box.left - room.left - ARROW, box.top - room.top - RIM];
  const [right, bottom] = [box.right - room.right + RIM, box.bottom - room.bottom + RIM];
  // If it is wider than the strip, show its beginning.
  strip.scrollLeft += left < 0 ? left : Math.max(0, Math.min(left, right));
  strip.scrollTop += top < 0 ? top : Math.max(0, Math.min(top, bottom));
}

/** CSS pixels: an arrow between two pills, and the space of a focus ring. */
const ARROW = 28;
const RIM = 2;

function Next({ actions, isStepping, onSteps, onCompare }: StripProps): JSX.Element {
  const reason = typeof actions === "string" ? actions : "";
  return (
    <span class="exirviz-offers">
      <button
        type="button"
        class={`exirviz-button exirviz-step ${reason && "is-idle"}`}
        aria-expanded={isStepping}
        title={reason || "Next steps from this stage (⇧ S)"}
        onClick={onSteps}
      >
        + Step
      </button>
      <button
        type="button"
        class="exirviz-button"
        disabled={typeof onCompare === "string"}
        title={typeof onCompare === "string" ? onCompare : "Compare with the parent stage (C)"}
        onClick={() => typeof onCompare !== "string" && onCompare()}
      >
        Compare
      </button>
    </span>
  );
}
