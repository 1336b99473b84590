/** Keeps a toolbar in one row: tools that do not fit move to its menu, the least important first. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Tools that may move, in order. Elements have their name as `data-tool`. */
const MOVABLE = [
  "bookmark",
  "color-selection",
  "find-line",
  "help",
  "fold",
  "timeline",
  "group-by",
  "unroll",
  "toggle-similar",
  "color",
  "zoom",
  "between",
  "steps",
  "open-all",
  "fit",
  "history",
  "reach",
] as const;

export type Tool = (typeof MOVABLE)[number];

/** Classes for shorter texts, the mildest first. */
const SHORTER = ["is-short", "is-shorter"] as const;
const MOVED = "is-moved";

/** `bar`: the ref of the toolbar. `moved`: tools that the menu shows instead. */
export function useOverflow(): { bar: RefObject<HTMLDivElement | null>; moved: ReadonlySet<Tool> } {
  const bar = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState<ReadonlySet<Tool>>(new Set());
  useLayoutEffect(() => {
    const element = bar.current;
    if (!element) return;
    let last = "";
    const update = (): void => {
      const now = fitted(element);
      if (now.join() === last) return;
      last = now.join();
      setMoved(new Set(now));
    };
    update();
    const resize = new ResizeObserver(update);
    resize.observe(element);
    // The tools too: in JupyterLab the style sheet may load after the first measurement.
    const observed = new WeakSet<Element>();
    const observeTools = (): void => {
      for (const tool of element.children) {
        if (observed.has(tool)) continue;
        observed.add(tool);
        resize.observe(tool);
      }
    };
    observeTools();
    // Before the next paint: tools appeared, disappeared or changed their text. Classes, which `update` sets,
    // are not observed.
    const change = new MutationObserver(() => {
      observeTools();
      update();
    });
    change.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      resize.disconnect();
      change.disconnect();
    };
  }, []);
  return { bar, moved };
}

/**
 * First shortens texts, those of the selection's tools before others, then moves tool by tool until all fits.
 */
function fitted(bar: HTMLElement): Tool[] {
  const tools = new Map(
    [...bar.querySelectorAll<HTMLElement>("[data-tool]")]
      .filter((tool) => !tool.closest(".exirviz-menu"))
      .map((tool) => [tool.dataset["tool"], tool]),
  );
  for (const tool of tools.values()) tool.classList.remove(MOVED);
  bar.classList.remove(...SHORTER);
  for (const shorter of SHORTER) {
    if (fits(bar)) return [];
    bar.classList.add(shorter);
  }
  const moved: Tool[] = [];
  for (const name of MOVABLE) {
    if (fits(bar)) break;
    const tool = tools.get(name);
    if (!tool) continue;
    tool.classList.add(MOVED);
    moved.push(name);
  }
  return moved;
}

/** Whether the row's content fits; temporary overlays do not count. */
function fits(bar: HTMLElement): boolean {
  const { paddingLeft, paddingRight, columnGap } = getComputedStyle(bar);
  const widths = [...bar.children]
    .filter((child) => !child.hasAttribute("data-floats"))
    .map((child) => child.getBoundingClientRect().width)
    .filter((width) => width > 0);
  const gaps = Math.max(0, widths.length - 1) * (Number.parseFloat(columnGap) || 0);
  const room = bar.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  return widths.reduce((sum, width) => sum + width, gaps) <= room + 0.5;
}
