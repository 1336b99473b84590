/**
 * A long list of rows with known heights: only the visible ones are in the page. Rows are identified by
 * number; `reveal` is scrolled into view when `revealKey` changes.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

interface ListProps {
  readonly count: number;
  /** In pixels: for all rows, or for each. */
  readonly rowHeight: number | readonly number[];
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  readonly reveal?: number | undefined;
  readonly revealKey?: unknown;
  readonly class?: string;
}

/** Rows kept beyond the edges, in case scrolling is faster than painting. */
const SPARE = 12;
/** Before the first layout. */
const HEIGHT = 480;

export function List({ count, rowHeight, row, label, reveal, revealKey, class: more = "" }: ListProps) {
  const box = useRef<HTMLElement>(null);
  const [span, setSpan] = useState({ top: 0, height: HEIGHT });
  const tops = useMemo(() => topsOf(count, rowHeight), [count, rowHeight]);
  useKept(box, tops, count);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = (): void =>
      setSpan((before) => {
        const height = element.clientHeight || HEIGHT;
        const top = element.scrollTop;
        return before.top === top && before.height === height ? before : { top, height };
      });
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      observer.disconnect();
    };
  }, []);

  // Scroll for a new request, not for new heights.
  useEffect(() => {
    const element = box.current;
    if (!element || reveal === undefined || reveal < 0) return;
    const top = tops.of(reveal);
    const height = element.clientHeight || HEIGHT;
    if (top < element.scrollTop || tops.of(reveal + 1) > element.scrollTop + height) {
      element.scrollTop = Math.max(0, top - height / 3);
      setSpan({ top: element.scrollTop, height });
    }
  }, [reveal, revealKey]);

  const first = Math.max(0, tops.at(span.top) - SPARE);
  const last = Math.min(count, tops.at(span.top + span.height) + 1 + SPARE);
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index++) rows.push(row(index));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section ref={box} class={`exirviz-list ${more}`} aria-label={label} tabIndex={0}>
      <div class="exirviz-list-all" style={{ height: `${tops.of(count)}px` }}>
        <div class="exirviz-list-shown" style={{ transform: `translateY(${tops.of(first)}px)` }}>
          {rows}
        </div>
      </div>
    </section>
  );
}

/** The row at the upper edge stays there when the same rows get other heights. */
function useKept(box: { readonly current: HTMLElement | null }, tops: Tops, count: number): void {
  const last = useRef({ tops, count });
  useLayoutEffect(() => {
    const element = box.current;
    const before = last.current;
    last.current = { tops, count };
    if (!element || before.tops === tops || before.count !== count) return;
    const row = before.tops.at(element.scrollTop);
    element.scrollTop += tops.of(row) - before.tops.of(row);
  }, [tops, count, box]);
}

/** Where the rows of a list begin, with one height for all or one for each. Pure. */
interface Tops {
  /** The top of a row; for the number of rows, the total height. */
  readonly of: (index: number) => number;
  /** The row at this height. */
  readonly at: (y: number) => number;
}

export function topsOf(count: number, heights: number | readonly number[]): Tops {
  return typeof heights === "number" ? even(count, heights) : summed(heights);
}

function even(count: number, height: number): Tops {
  return {
    of: (index) => index * height,
    at: (y) => Math.max(0, Math.min(count - 1, Math.floor(y / height))),
  };
}

function summed(heights: readonly number[]): Tops {
  const tops = [0];
  for (const height of heights) tops.push((tops.at(-1) ?? 0) + height);
  const at = (y: number): number => {
    let [low, high] = [0, Math.max(0, heights.length - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((tops[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return { of: (index) => tops[index] ?? 0, at };
}
