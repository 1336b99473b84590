/** Key handlers: the explorer's commands, and those that need the page. */
import { useEffect } from "preact/hooks";
import type { CanvasView } from "../canvas/view";
import type { Explorer } from "../explorer";
import { type PageCommand, run } from "../explorer/commands";
import { type Command, commandOf, isOfPicture } from "../ui/shortcuts";
import { copyLink, fullScreen, saveImage } from "./export";

/** An explorer that is alone on its page handles keys before the first click. */
export function usePageKeys(explorer: Explorer, view: CanvasView, hasPage: boolean): void {
  useEffect(() => {
    if (!hasPage) return;
    const { ownerDocument } = view.canvas;
    const handle = (event: KeyboardEvent): void => {
      if (event.target === ownerDocument.body) answer(explorer, view, event);
    };
    ownerDocument.addEventListener("keydown", handle);
    return () => ownerDocument.removeEventListener("keydown", handle);
  }, [explorer, view, hasPage]);
}

/** Runs the command of a key, unless the focused element uses the key. */
export function answer(explorer: Explorer, view: CanvasView, event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const { canvas } = view;
  const isOnPicture = event.target === canvas || event.target === canvas.ownerDocument.body;
  const command = commandOf(event, event.target);
  // Keys do nothing behind the help, except that they close it if the focus is outside.
  if (explorer.state.isPaletteOpen && command !== "close") return;
  if (explorer.state.isHelpOpen && command !== "help" && command !== "close") return;
  // Outside the picture, arrows, Enter and Space belong to the focused element.
  if (!command || (!isOnPicture && isOfPicture(event))) return;
  perform(explorer, view, command);
  event.preventDefault();
  event.stopPropagation();
}

/** Runs a command, from any source. */
export function perform(explorer: Explorer, view: CanvasView, command: Command): void {
  if (isOfPage(command)) PAGE[command](explorer, view);
  else run(explorer, command);
}

const PAGE: Readonly<Record<PageCommand, (explorer: Explorer, view: CanvasView) => unknown>> = {
  // At once: the next key is meant for the box.
  search: (_, view) => {
    const box = rootOf(view)?.querySelector<HTMLInputElement>(".exirviz-search-input");
    box?.focus();
    box?.select();
  },
  export: (explorer, view) => saveImage(explorer, view, { type: "svg", of: "all", scale: 1 }),
  link: (explorer, view) => copyLink(explorer, view.canvas.ownerDocument),
  "full-screen": (_, view) => fullScreen(rootOf(view)),
};

const rootOf = (view: CanvasView): Element | null => view.canvas.closest(".exirviz-explorer");

const isOfPage = (command: Command): command is PageCommand => command in PAGE;
