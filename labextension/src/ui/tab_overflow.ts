/** Keeps tabs in one row: those that do not fit are listed in a menu. The selected tab is always in the row. */
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** `row`: the element around the tabs. Returns the tabs that do not fit; all of them stay measurable. */
export function useTabOverflow<T extends string>(
  row: RefObject<HTMLElement | null>,
  all: readonly T[],
  tab: T,
  /** What else is in the tabs: another text, another width. */
  more = "",
): ReadonlySet<T> {
  const [hidden, setHidden] = useState<readonly T[]>([]);
  const key = all.join();
  useLayoutEffect(() => {
    const element = row.current;
    const list = element?.querySelector("[role=tablist]");
    if (!(element && list)) return;
    const update = (): void => {
      const tabs = [...element.querySelectorAll<HTMLElement>("[role=tab]")];
      const widths = tabs.map((each) => each.getBoundingClientRect().width);
      const now = withoutRoom(widths, all.indexOf(tab), roomOf(element), MENU);
      setHidden((before) => {
        const next = now.flatMap((at) => all[at] ?? []);
        return before.join() === next.join() ? before : next;
      });
    };
    update();
    // The list fills the row: it changes too when, in JupyterLab, the style sheet loads late.
    const resize = new ResizeObserver(update);
    resize.observe(list);
    return () => resize.disconnect();
  }, [key, tab, more]);
  return new Set(hidden);
}

/** The width of the menu's button, in pixels. */
const MENU = 24;

function roomOf(element: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  return element.clientWidth - (Number.parseFloat(paddingLeft) || 0) - (Number.parseFloat(paddingRight) || 0);
}

/** The positions of tabs that do not fit beside the selected one, the last ones first to go. */
export function withoutRoom(
  widths: readonly number[],
  selected: number,
  room: number,
  menu: number,
): readonly number[] {
  const whole = widths.reduce((sum, width) => sum + width, 0);
  if (whole <= room + 0.5) return [];
  let used = (widths[selected] ?? 0) + menu;
  const overflowing: number[] = [];
  widths.forEach((width, at) => {
    if (at === selected) return;
    if (overflowing.length === 0 && used + width <= room) used += width;
    else overflowing.push(at);
  });
  return overflowing;
}
