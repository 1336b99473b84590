/**
 * A drawing of many stops, walked by pointer and by keys alike: the stop under the cursor is said below it, marked in
 * the picture, and Enter or a click goes to its node. To a screen reader it is a slider whose value is a sentence.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Actions } from "../../ui/actions";

interface Props {
  readonly label: string;
  readonly class: string;
  readonly width: number;
  readonly height: number;
  /** How many stops there are. */
  readonly count: number;
  /** Where keys begin. */
  readonly start: number;
  /** The stop at a place of the drawing, in its own units. */
  readonly stopAt: (x: number, y: number) => number | undefined;
  readonly nodeOf: (stop: number) => number;
  readonly say: (stop: number) => string;
  readonly actions: Actions;
  /** What is drawn; told of the stop under the cursor. */
  readonly children: (cursor: number | undefined) => ComponentChildren;
}

export function Scrub({ label, width, height, count, start, stopAt, nodeOf, say, actions, ...rest }: Props) {
  const [cursor, setCursor] = useState<number>();
  const stop = cursor === undefined ? undefined : Math.min(cursor, count - 1);
  const move = (to: number | undefined): void => {
    setCursor(to);
    actions.hover(to === undefined ? undefined : nodeOf(to));
  };
  const under = (event: MouseEvent): number | undefined => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const x = ((event.clientX - box.left) / Math.max(1, box.width)) * width;
    return stopAt(x, ((event.clientY - box.top) / Math.max(1, box.height)) * height);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = stop ?? start;
    const to = target(event.key, at, count);
    if (to !== undefined) move(to);
    else if (event.key === "Enter" || event.key === " ") actions.reveal(nodeOf(at));
    else return;
    // the picture has keys of its own
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div
        class="exirviz-scrub"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(stop ?? start) + 1}
        aria-valuetext={say(stop ?? start)}
        onKeyDown={onKeyDown}
        onFocus={() => move(stop ?? start)}
        onBlur={() => move(undefined)}
      >
        <svg
          class={rest.class}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onClick={(event) => {
            const to = under(event);
            if (to !== undefined) actions.reveal(nodeOf(to));
          }}
          onMouseMove={(event) => move(under(event))}
          onMouseLeave={() => move(undefined)}
        >
          {rest.children(stop)}
        </svg>
      </div>
      <p class="exirviz-dim exirviz-scrub-say" aria-hidden="true">
        {stop === undefined ? "← → to scrub, Enter to select" : say(stop)}
      </p>
    </>
  );
}

/** Where a key leads; undefined for keys of others. */
function target(key: string, at: number, count: number): number | undefined {
  const page = Math.max(1, Math.round(count / 10));
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowUp: 1,
    ArrowLeft: -1,
    ArrowDown: -1,
    PageUp: page,
    PageDown: -page,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(count - 1, at + step));
}
