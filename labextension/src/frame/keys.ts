/** Keys, answered: what the explorer does, and what needs the page around it. */
import { useEffect } from "preact/hooks";
import type { CanvasView } from "../canvas/view";
import type { Explorer } from "../explorer";
import { type PageCommand, run } from "../explorer/commands";
import { type Command, commandOf, isOfPicture } from "../ui/shortcuts";
import { copyLink, fullScreen, saveImage } from "./export";

/** An explorer that has the page to itself hears its keys before anything was clicked. */
export function usePageKeys(explorer: Explorer, view: CanvasView, hasPage: boolean): void {
  useEffect(() => {
    if (!hasPage) return;
    const { ownerDocument } = view.canvas;
    const hear = (event: KeyboardEvent): void => {
      if (event.target === ownerDocument.body) answer(explorer, view, event);
    };
    ownerDocument.addEventListener("keydown", hear);
    return () => ownerDocument.removeEventListener("keydown", hear);
  }, [explorer, view, hasPage]);
}

/** Does what a key asks for, whatever in the explorer has the focus; leaves alone what belongs to that. */
export function answer(explorer: Explorer, view: CanvasView, event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const { canvas } = view;
  const isOnPicture = event.target === canvas || event.target === canvas.ownerDocument.body;
  const command = commandOf(event, event.target);
  // What lies behind the help is left alone; where the focus did not come in, a key takes the help away all the same.
  if (explorer.state.isPaletteOpen && command !== "close") return;
  if (explorer.state.isHelpOpen && command !== "help" && command !== "close") return;
  // Elsewhere than on the picture, arrows, Enter and Space belong to what has the focus.
  if (!command || (!isOnPicture && isOfPicture(event))) return;
  perform(explorer, view, command);
  event.preventDefault();
  event.stopPropagation();
}

/** Does what a command asks for, whoever gave it. */
export function perform(explorer: Explorer, view: CanvasView, command: Command): void {
  if (isOfPage(command)) PAGE[command](explorer, view);
  else run(explorer, command);
}

const PAGE: Readonly<Record<PageCommand, (explorer: Explorer, view: CanvasView) => unknown>> = {
  // At once: what is typed next is meant for the box.
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
