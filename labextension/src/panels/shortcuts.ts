/**
 * Every key of the explorer, once: what it does, its command, its words in the help. Whoever answers keys asks
 * `commandOf`; whoever shows them reads the table.
 */

export type Command =
  | "search"
  | "next"
  | "previous"
  | "help"
  | "palette"
  | "close"
  | "fit"
  | "fit-selection"
  | "zoom-in"
  | "zoom-out"
  | "actual-size"
  | "move-up"
  | "move-down"
  | "move-left"
  | "move-right"
  | "toggle"
  | "toggle-alike"
  | "open-all"
  | "close-all"
  | "depth-1"
  | "depth-2"
  | "depth-3"
  | "producer"
  | "users"
  | "ancestors"
  | "descendants"
  | "neighbourhood"
  | "between"
  | "undim"
  | "back"
  | "forward"
  | "bookmark"
  | "fold"
  | "by-delegate"
  | "panel"
  | "timeline"
  | "tab-node"
  | "tab-code"
  | "tab-signature"
  | "tab-shapes"
  | "tab-profile"
  | "tab-delegation"
  | "hotter"
  | "less-hot"
  | "stage-parent"
  | "stage-child"
  | "stage-above"
  | "stage-below"
  | "compare"
  | "minimap"
  | "full-screen"
  | "link"
  | "export";

export type Group = "Find" | "Look" | "Open" | "Follow" | "Stages" | "Remember" | "Panels";

export interface Shortcut {
  readonly command: Command;
  /** As `keysOf` writes them; the first is shown first. */
  readonly keys: readonly string[];
  readonly group: Group;
  readonly does: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { command: "search", keys: ["/", "Mod+F"], group: "Find", does: "search" },
  { command: "next", keys: ["N"], group: "Find", does: "next result; in the box Enter" },
  { command: "previous", keys: ["Shift+N"], group: "Find", does: "result before; in the box Shift-Enter" },
  { command: "fit", keys: ["0"], group: "Look", does: "fit all" },
  { command: "fit-selection", keys: ["Z"], group: "Look", does: "fit the selection" },
  { command: "actual-size", keys: ["R"], group: "Look", does: "zoom to 100%" },
  { command: "zoom-in", keys: ["+", "="], group: "Look", does: "zoom in" },
  { command: "zoom-out", keys: ["-"], group: "Look", does: "zoom out" },
  { command: "minimap", keys: ["V"], group: "Look", does: "show or hide the minimap" },
  { command: "full-screen", keys: ["F"], group: "Look", does: "full screen" },
  { command: "move-up", keys: ["ArrowUp"], group: "Follow", does: "select the box above" },
  { command: "move-down", keys: ["ArrowDown"], group: "Follow", does: "select the box below" },
  { command: "move-left", keys: ["ArrowLeft"], group: "Follow", does: "select the box at the left" },
  { command: "move-right", keys: ["ArrowRight"], group: "Follow", does: "select the box at the right" },
  { command: "producer", keys: ["P"], group: "Follow", does: "go to what it is made from" },
  { command: "users", keys: ["U"], group: "Follow", does: "go to its users" },
  {
    command: "less-hot",
    keys: ["H"],
    group: "Follow",
    does: "with a profile: the hottest op, then the next",
  },
  { command: "hotter", keys: ["Shift+H"], group: "Follow", does: "with a profile: the op before it" },
  { command: "ancestors", keys: ["A"], group: "Follow", does: "show ancestors, a step more each time" },
  { command: "descendants", keys: ["D"], group: "Follow", does: "show descendants, a step more each time" },
  {
    command: "neighbourhood",
    keys: ["S"],
    group: "Follow",
    does: "show what is around, a step more each time",
  },
  { command: "between", keys: ["B"], group: "Follow", does: "with two selected: the paths between them" },
  { command: "undim", keys: ["Shift+A"], group: "Follow", does: "show all again" },
  { command: "toggle", keys: ["Enter", "Space"], group: "Open", does: "open or close the module" },
  { command: "toggle-alike", keys: ["Shift+Enter"], group: "Open", does: "open or close all of its kind" },
  { command: "open-all", keys: ["E"], group: "Open", does: "open all" },
  { command: "close-all", keys: ["Shift+E"], group: "Open", does: "close all" },
  { command: "depth-1", keys: ["1"], group: "Open", does: "open one level" },
  { command: "depth-2", keys: ["2"], group: "Open", does: "open two levels" },
  { command: "depth-3", keys: ["3"], group: "Open", does: "open three levels" },
  { command: "fold", keys: ["W"], group: "Open", does: "fold parameters into ops, or show them" },
  {
    command: "by-delegate",
    keys: ["G"],
    group: "Open",
    does: "group by delegate, or by module",
  },
  {
    command: "stage-child",
    keys: ["Shift+ArrowRight"],
    group: "Stages",
    does: "next stage; in the strip the arrow alone",
  },
  { command: "stage-parent", keys: ["Shift+ArrowLeft"], group: "Stages", does: "the stage it came from" },
  { command: "stage-below", keys: ["Shift+ArrowDown"], group: "Stages", does: "the branch below" },
  { command: "stage-above", keys: ["Shift+ArrowUp"], group: "Stages", does: "the branch above" },
  { command: "compare", keys: ["C"], group: "Stages", does: "side by side with the stage it came from" },
  { command: "back", keys: ["Backspace", "["], group: "Remember", does: "back to where one was" },
  { command: "forward", keys: ["Shift+Backspace", "]"], group: "Remember", does: "forward again" },
  { command: "bookmark", keys: ["M"], group: "Remember", does: "bookmark this view" },
  { command: "link", keys: ["L"], group: "Remember", does: "copy a link to this view" },
  { command: "export", keys: ["X"], group: "Remember", does: "export the picture" },
  { command: "panel", keys: ["\\"], group: "Panels", does: "show or hide the side panel" },
  { command: "timeline", keys: ["T"], group: "Panels", does: "show or hide the timeline" },
  { command: "tab-node", keys: ["Shift+1"], group: "Panels", does: "node" },
  { command: "tab-code", keys: ["Shift+2"], group: "Panels", does: "code" },
  { command: "tab-signature", keys: ["Shift+3"], group: "Panels", does: "signature" },
  { command: "tab-shapes", keys: ["Shift+4"], group: "Panels", does: "shapes" },
  { command: "tab-profile", keys: ["Shift+5"], group: "Panels", does: "profile" },
  { command: "tab-delegation", keys: ["Shift+6"], group: "Panels", does: "delegation" },
  { command: "palette", keys: ["Mod+K"], group: "Find", does: "every command, step, stage and bookmark" },
  { command: "help", keys: ["?"], group: "Panels", does: "this help" },
  {
    command: "close",
    keys: ["Escape"],
    group: "Panels",
    does: "close what is in front; then select nothing",
  },
];

/** What the timeline itself does with keys and the pointer while it has the focus. */
export const TIMELINE_KEYS: readonly Pick<Shortcut, "keys" | "does">[] = [
  { keys: ["ArrowLeft", "ArrowRight"], does: "step through the ops in execution order" },
  { keys: ["Shift+ArrowLeft", "Shift+ArrowRight"], does: "highlight from there to the next op" },
  { keys: ["PageUp", "PageDown"], does: "step over many ops" },
  { keys: ["Home", "End"], does: "first or last op" },
  { keys: ["Enter"], does: "go to the op in the graph" },
  { keys: ["+", "-", "0"], does: "zoom in, out, show all; the wheel zooms, too" },
  { keys: ["Drag"], does: "highlight a range in the graph" },
];

/** What the mouse does on the picture, as the help lists it; `canvas/pointer` does it. */
export const GESTURES: readonly { readonly gesture: string; readonly does: string }[] = [
  { gesture: "click", does: "select a box or an edge" },
  { gesture: "Shift or Ctrl click", does: "add a box to the selection, or remove it" },
  { gesture: "double-click", does: "open or close a module; so does a click on its ▸" },
  { gesture: "Alt click on ▸", does: "open or close all modules of its kind" },
  { gesture: "drag", does: "move the picture" },
  { gesture: "wheel", does: "scroll; in a notebook once the picture has the focus" },
  { gesture: "Ctrl wheel, pinch", does: "zoom at the pointer" },
];

type Press = Pick<KeyboardEvent, "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

/**
 * How a key press may be written in the table, the likeliest first. The character counts before the key that made
 * it (`/` is Shift-7 on some keyboards), and Shift is told only where it makes no other character.
 */
export function keysOf(press: Press): string[] {
  const digit = /^Digit(\d)$/.exec(press.code)?.[1];
  const isLetter = /^[a-z]$/i.test(press.key);
  const tellsShift = press.shiftKey && (isLetter || press.key === " " || press.key.length > 1);
  const before = `${press.ctrlKey || press.metaKey ? "Mod+" : ""}${press.altKey ? "Alt+" : ""}`;
  const base = press.key === " " ? "Space" : isLetter ? press.key.toUpperCase() : press.key;
  const found = [`${before}${tellsShift ? "Shift+" : ""}${base}`];
  if (digit && press.shiftKey) found.push(`${before}Shift+${digit}`);
  return found;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  SHORTCUTS.flatMap(({ command, keys }) => keys.map((key): [string, Command] => [key, command])),
);

/** What a key press asks for; undefined where it asks for nothing, or is typed into a field. */
export function commandOf(press: Press, target?: EventTarget | null): Command | undefined {
  const command = keysOf(press)
    .map((key) => COMMANDS.get(key))
    .find((each) => each !== undefined);
  return isField(target) && command !== "close" ? undefined : command;
}

/** Keys that mean something to any control that has the focus. */
export const isOfPicture = ({
  key,
  altKey,
  shiftKey,
}: Pick<KeyboardEvent, "key" | "altKey" | "shiftKey">): boolean =>
  key === "Enter" || key === " " || (key.startsWith("Arrow") && !altKey && !shiftKey);

/** The first key of a command, as a hint says it. */
export const keyHint = (command: Command): string =>
  keyCaps(SHORTCUTS.find((shortcut) => shortcut.command === command)?.keys[0] ?? "", false).join(" ");

const isField = (target: EventTarget | null | undefined): boolean =>
  typeof HTMLElement !== "undefined" &&
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** A key as it is written on a keyboard. */
export function keyCaps(key: string, isMac: boolean): string[] {
  const words: Readonly<Record<string, string>> = {
    Mod: isMac ? "⌘" : "Ctrl",
    Alt: isMac ? "⌥" : "Alt",
    Shift: "⇧",
    ArrowUp: "↑",
    ArrowDown: "↓",
    ArrowLeft: "←",
    ArrowRight: "→",
    Enter: "↵",
    Escape: "Esc",
    Backspace: "⌫",
  };
  const parts = key === "+" ? ["+"] : key.split("+");
  return parts.map((part) => words[part] ?? part);
}
