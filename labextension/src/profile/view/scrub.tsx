/**
 * A drawing of many steps for pointer and keys: the step at the cursor is described below it and marked in
 * the picture, and Enter or a click selects its node. For screen readers it is a slider whose value is a
 * sentence.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Actions } from "../../ui/actions";

interface Props {
  readonly label: string;
  readonly class: string;
  readonly width: number;
  readonly height: number;
  /** The number of steps. */
  readonly count: number;
  /** The first step for keys. */
  readonly start: number;
  /** The step at a point of the drawing, in the drawing's units. */
  readonly stopAt: (x: number, y: number) => number | undefined;
  readonly nodeOf: (stop: number) => number;
  readonly say: (stop: number) => string;
  readonly actions: Actions;
  /** The drawing; it gets the step at the cursor. */
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
    // the picture handles keys too
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

/** The target of a key; undefined for other keys. */
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
