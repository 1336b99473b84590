/** The stages in a strip: a pill for each, branches below their line, the next steps dashed at its end. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { visible } from "../../ui/text";
import type { Offer, StageTree } from "../schema";
import { type Move, moved } from "../shape";
import type { StageActions } from "../source";
import { nearest } from "../stage_text";
import { Grid } from "./grid";
import { Pill } from "./pill";
import { type StageDrag, useStageDrag } from "./stage_drag";
import type { FinalAction } from "./steps";

/** Next steps that are shown in the strip. */
const OFFERS = 2;

interface StripProps {
  readonly tree: StageTree;
  /** The stage that is shown. */
  readonly at: string;
  readonly actions: StageActions | string;
  /** What is open below the strip. */
  readonly dock: "steps" | "stage" | undefined;
  readonly onGo: (stage: string) => void;
  /** The user begins to drag along a line of stages. */
  readonly onDrag?: ((line: readonly string[]) => StageDrag) | undefined;
  readonly onOffer: (offer: Offer) => void;
  /** Actions for a stage without next steps. */
  readonly finals?: readonly FinalAction[] | undefined;
  readonly onDock: (dock: "steps" | "stage") => void;
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

function Next({ tree, at, actions, dock, onOffer, finals = [], onDock, onCompare }: StripProps): JSX.Element {
  const record = tree.stages.find(({ id }) => id === at);
  const some = record && typeof actions !== "string" ? nearest(record, OFFERS) : [];
  const last = some.length > 0 ? [] : finals.filter(({ reason }) => !reason);
  return (
    <span class="exirviz-offers">
      <button
        type="button"
        class="exirviz-button exirviz-about"
        aria-expanded={dock === "stage"}
        aria-label={`About ${record ? visible(record.name) : "the stage"}`}
        title={`Stage details: messages, code${typeof actions === "string" ? "" : ", rename, save, delete"}`}
        onClick={() => onDock("stage")}
      >
        ⋯
      </button>
      <button
        type="button"
        class="exirviz-button exirviz-about"
        disabled={typeof onCompare === "string"}
        title={typeof onCompare === "string" ? onCompare : "Compare with the parent stage (C)"}
        onClick={() => typeof onCompare !== "string" && onCompare()}
      >
        Compare
      </button>
      {some.length + last.length > 0 && (
        <span
          key={at}
          class={`exirviz-near${last[0]?.isPinned ? " is-pinned" : ""}`}
          onFocusOut={({ currentTarget }) => currentTarget.scrollTo(0, 0)}
        >
          {last.map(({ title, about, run }) => (
            <button
              type="button"
              key={title}
              class="exirviz-pill exirviz-offer"
              title={visible(about)}
              onClick={run}
            >
              {visible(title)}
            </button>
          ))}
          {some.map((offer) => (
            <button
              type="button"
              key={offer.kind}
              class="exirviz-pill exirviz-offer"
              title={visible(offer.about)}
              onClick={() => onOffer(offer)}
            >
              + {visible(offer.title)}
              {offer.options?.length ? "…" : ""}
            </button>
          ))}
        </span>
      )}
      <button
        type="button"
        class={`exirviz-pill exirviz-offer is-all${typeof actions === "string" ? " is-idle" : ""}`}
        aria-expanded={dock === "steps"}
        title={
          typeof actions === "string" ? actions : "All steps from this stage, including unavailable ones"
        }
        onClick={() => onDock("steps")}
      >
        More steps…
      </button>
    </span>
  );
}
