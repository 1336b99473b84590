/**
 * A long list of rows of one height: only those in sight are in the page. Rows are told by number; `reveal` brings
 * one into sight whenever `revealKey` changes.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface ListProps {
  readonly count: number;
  /** In pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  readonly reveal?: number | undefined;
  readonly revealKey?: unknown;
  readonly class?: string;
}

/** Rows kept beyond the edges, for scrolling faster than painting. */
const SPARE = 12;
/** Where nothing is laid out yet. */
const HEIGHT = 480;

export function List({ count, rowHeight, row, label, reveal, revealKey, class: more = "" }: ListProps) {
  const box = useRef<HTMLElement>(null);
  const [span, setSpan] = useState({ top: 0, height: HEIGHT });

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

  // Only a new wish scrolls, not each new height.
  useEffect(() => {
    const element = box.current;
    if (!element || reveal === undefined || reveal < 0) return;
    const top = reveal * rowHeight;
    const height = element.clientHeight || HEIGHT;
    if (top < element.scrollTop || top + rowHeight > element.scrollTop + height) {
      element.scrollTop = Math.max(0, top - height / 3);
      setSpan({ top: element.scrollTop, height });
    }
  }, [reveal, revealKey]);

  const first = Math.max(0, Math.floor(span.top / rowHeight) - SPARE);
  const last = Math.min(count, Math.ceil((span.top + span.height) / rowHeight) + SPARE);
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index++) rows.push(row(index));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section ref={box} class={`ev-list ${more}`} aria-label={label} tabIndex={0}>
      <div class="ev-list-all" style={{ height: `${count * rowHeight}px` }}>
        <div class="ev-list-shown" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </section>
  );
}
