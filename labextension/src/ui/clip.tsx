/** A name that is cut in its middle if there is no room; a tooltip has all of it. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { visible } from "./text";

/** Characters kept at the end: enough to distinguish `layers.3.self_attn.q_proj.weight` from its siblings. */
const TAIL = 14;

export function Clip({ text, class: more = "" }: { text: string; class?: string }) {
  const shown = visible(text);
  const cut = shown.length > TAIL + 4 ? shown.length - TAIL : shown.length;
  const head = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = head.current;
    if (!element || cut === shown.length) return;
    const { observer } = gaps;
    observer.observe(element);
    return () => observer.unobserve(element);
  }, [shown, cut]);
  return (
    <span class={`exirviz-clip ${more}`} title={shown}>
      <span class="exirviz-clip-head" ref={head}>
        {shown.slice(0, cut)}
      </span>
      {cut < shown.length && <span class="exirviz-clip-tail">{shown.slice(cut)}</span>}
    </span>
  );
}

/** One observer for all names. */
const gaps = {
  made: undefined as ResizeObserver | undefined,
  get observer(): ResizeObserver {
    this.made ??= new ResizeObserver((entries) => closeGaps(entries.map(({ target }) => target)));
    return this.made;
  },
};

/**
 * The browser's "…" leaves up to a letter of space before the end of a name. Here the end moves to the last letter
 * that fits, with its own "…".
 */
function closeGaps(heads: readonly Element[]): void {
  const cuts = heads.map(cutOf); // all are measured before one changes
  heads.forEach((head, i) => {
    const cut = cuts[i];
    const tail = head.nextElementSibling;
    if (!(head instanceof HTMLElement) || !(tail instanceof HTMLElement)) return;
    head.parentElement?.toggleAttribute("data-cut", cut !== undefined);
    head.style.clipPath = cut ? `inset(0 ${cut.hidden}px 0 0)` : "";
    tail.style.left = cut ? `${-cut.gap}px` : "";
  });
}

/** CSS pixels: what is hidden of a beginning, and how far its end moves; undefined if all of it fits. */
function cutOf(head: Element): { readonly hidden: number; readonly gap: number } | undefined {
  const { firstChild: text, ownerDocument: document } = head;
  if (!(text instanceof Text) || head.scrollWidth <= head.clientWidth) return undefined;
  const { width } = head.getBoundingClientRect();
  const room = Math.max(0, width - ellipsisWidth(head));
  const range = document.createRange();
  range.setStart(text, 0);
  const shown = fittingWidth(room, text.length, (letters) => {
    range.setEnd(text, letters);
    return range.getBoundingClientRect().width;
  });
  return { hidden: width - shown, gap: room - shown };
}

/** The width of the most letters that fit. Exported for tests. */
export function fittingWidth(room: number, letters: number, widthOf: (letters: number) => number): number {
  let low = 0;
  let high = letters;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(middle) <= room) low = middle;
    else high = middle - 1;
  }
  return low && widthOf(low);
}

const measuring: { context?: CanvasRenderingContext2D | null } = {};

function ellipsisWidth(element: Element): number {
  measuring.context ??= element.ownerDocument.createElement("canvas").getContext("2d");
  if (!measuring.context) return 0;
  measuring.context.font = getComputedStyle(element).font;
  return measuring.context.measureText("…").width;
}
