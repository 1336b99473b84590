/** A toolbar is one stop of the Tab key: arrows, Home and End move inside it. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const TOOLS = "button:not(:disabled), select:not(:disabled)";

export function useRoving(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    if (!element) return;
    let here: HTMLElement | undefined;
    const update = (): HTMLElement[] => {
      const tools = toolsOf(element);
      if (!here || !tools.includes(here)) here = tools[0];
      for (const tool of tools) tool.tabIndex = tool === here ? 0 : -1;
      return tools;
    };
    const focus = ({ target }: FocusEvent): void => {
      const tool = toolsOf(element).find((each) => each === target);
      if (tool) here = tool;
      update();
    };
    const press = (event: KeyboardEvent): void => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const tools = update();
      const at = tools.indexOf(event.target as HTMLElement);
      const next = at < 0 ? undefined : tools[steppedTo(event.key, at, tools.length)];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      next.focus();
    };
    update();
    const change = new MutationObserver(update);
    // Not `tabindex`, which `update` sets.
    change.observe(element, { childList: true, subtree: true, attributeFilter: ["class", "disabled"] });
    element.addEventListener("focusin", focus);
    element.addEventListener("keydown", press);
    return () => {
      change.disconnect();
      element.removeEventListener("focusin", focus);
      element.removeEventListener("keydown", press);
    };
  }, []);
}

/** The focusable elements of the row itself; those in its menu are reached by Tab. */
const toolsOf = (bar: HTMLElement): HTMLElement[] =>
  [...bar.querySelectorAll<HTMLElement>(TOOLS)].filter(
    (tool) => !tool.closest(".exirviz-menu, .is-moved, [role=dialog]"),
  );

/** Wraps around; -1 for any other key. */
function steppedTo(key: string, at: number, count: number): number {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
  return by ? (at + by + count) % count : -1;
}
