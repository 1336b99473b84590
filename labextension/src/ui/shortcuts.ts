/**
 * Every key of the explorer: its command and its text in the help. Key handlers use `commandOf`; the help
 * reads the table.
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
  | "toggle-similar"
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
  | "tab-findings"
  | "tab-reports"
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

export type Group = "Find" | "View" | "Modules" | "Navigate" | "Stages" | "History" | "Panels";

export interface Shortcut {
  readonly command: Command;
  /** As written by `keysOf`; the first is shown first. */
  readonly keys: readonly string[];
  readonly group: Group;
  readonly does: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { command: "search", keys: ["/", "Mod+F"], group: "Find", does: "Search" },
  { command: "next", keys: ["N"], group: "Find", does: "Next result (Enter in the search box)" },
  {
    command: "previous",
    keys: ["Shift+N"],
    group: "Find",
    does: "Previous result (Shift-Enter in the search box)",
  },
  { command: "fit", keys: ["0"], group: "View", does: "Fit graph to view" },
  { command: "fit-selection", keys: ["Z"], group: "View", does: "Zoom to selection" },
  { command: "actual-size", keys: ["R"], group: "View", does: "Zoom to 100%" },
  { command: "zoom-in", keys: ["+", "="], group: "View", does: "Zoom in" },
  { command: "zoom-out", keys: ["-"], group: "View", does: "Zoom out" },
  { command: "minimap", keys: ["V"], group: "View", does: "Show or hide minimap" },
  { command: "full-screen", keys: ["F"], group: "View", does: "Full screen" },
  { command: "move-up", keys: ["ArrowUp"], group: "Navigate", does: "Select the box above" },
  { command: "move-down", keys: ["ArrowDown"], group: "Navigate", does: "Select the box below" },
  { command: "move-left", keys: ["ArrowLeft"], group: "Navigate", does: "Select the box on the left" },
  { command: "move-right", keys: ["ArrowRight"], group: "Navigate", does: "Select the box on the right" },
  { command: "producer", keys: ["P"], group: "Navigate", does: "Go to input" },
  { command: "users", keys: ["U"], group: "Navigate", does: "Go to user" },
  {
    command: "less-hot",
    keys: ["H"],
    group: "Navigate",
    does: "Next hot op, hottest first (needs a profile)",
  },
  { command: "hotter", keys: ["Shift+H"], group: "Navigate", does: "Previous hot op (needs a profile)" },
  { command: "ancestors", keys: ["A"], group: "Navigate", does: "Highlight inputs, one step more each time" },
  {
    command: "descendants",
    keys: ["D"],
    group: "Navigate",
    does: "Highlight users, one step more each time",
  },
  {
    command: "neighbourhood",
    keys: ["S"],
    group: "Navigate",
    does: "Highlight inputs and users, one step more each time",
  },
  { command: "between", keys: ["B"], group: "Navigate", does: "Highlight paths between two selected boxes" },
  { command: "undim", keys: ["Shift+A"], group: "Navigate", does: "Clear highlight" },
  { command: "toggle", keys: ["Enter", "Space"], group: "Modules", does: "Open or close module" },
  {
    command: "toggle-similar",
    keys: ["Shift+Enter"],
    group: "Modules",
    does: "Open or close similar modules",
  },
  { command: "open-all", keys: ["E"], group: "Modules", does: "Open all" },
  { command: "close-all", keys: ["Shift+E"], group: "Modules", does: "Close all" },
  { command: "depth-1", keys: ["1"], group: "Modules", does: "Open one level" },
  { command: "depth-2", keys: ["2"], group: "Modules", does: "Open two levels" },
  { command: "depth-3", keys: ["3"], group: "Modules", does: "Open three levels" },
  { command: "fold", keys: ["W"], group: "Modules", does: "Fold parameters into ops, or show them" },
  {
    command: "by-delegate",
    keys: ["G"],
    group: "Modules",
    does: "Group by delegate or by module",
  },
  {
    command: "stage-child",
    keys: ["Shift+ArrowRight"],
    group: "Stages",
    does: "Next stage",
  },
  { command: "stage-parent", keys: ["Shift+ArrowLeft"], group: "Stages", does: "Parent stage" },
  { command: "stage-below", keys: ["Shift+ArrowDown"], group: "Stages", does: "Next branch" },
  { command: "stage-above", keys: ["Shift+ArrowUp"], group: "Stages", does: "Previous branch" },
  { command: "compare", keys: ["C"], group: "Stages", does: "Compare with parent stage" },
  { command: "back", keys: ["Backspace", "["], group: "History", does: "Previous view" },
  { command: "forward", keys: ["Shift+Backspace", "]"], group: "History", does: "Next view" },
  { command: "bookmark", keys: ["M"], group: "History", does: "Bookmark this view" },
  { command: "link", keys: ["L"], group: "History", does: "Copy link to this view" },
  { command: "export", keys: ["X"], group: "History", does: "Export image" },
  { command: "panel", keys: ["\\"], group: "Panels", does: "Show or hide inspector" },
  { command: "timeline", keys: ["T"], group: "Panels", does: "Show or hide timeline" },
  { command: "tab-node", keys: ["Shift+1"], group: "Panels", does: "Node panel" },
  { command: "tab-code", keys: ["Shift+2"], group: "Panels", does: "Code panel" },
  { command: "tab-signature", keys: ["Shift+3"], group: "Panels", does: "Signature panel" },
  { command: "tab-shapes", keys: ["Shift+4"], group: "Panels", does: "Shapes panel" },
  { command: "tab-profile", keys: ["Shift+5"], group: "Panels", does: "Profile panel" },
  { command: "tab-delegation", keys: ["Shift+6"], group: "Panels", does: "Delegation report" },
  { command: "tab-findings", keys: ["Shift+7"], group: "Panels", does: "Findings panel" },
  { command: "tab-reports", keys: ["Shift+8"], group: "Panels", does: "Reports panel" },
  { command: "palette", keys: ["Mod+K"], group: "Find", does: "Find a command, step, stage or bookmark" },
  { command: "help", keys: ["?"], group: "Panels", does: "Show this help" },
  {
    command: "close",
    keys: ["Escape"],
    group: "Panels",
    does: "Close popup, then clear selection",
  },
];

/** Keys and pointer of the timeline while it has the focus. */
export const TIMELINE_KEYS: readonly Pick<Shortcut, "keys" | "does">[] = [
  { keys: ["ArrowLeft", "ArrowRight"], does: "Step through ops in execution order" },
  { keys: ["Shift+ArrowLeft", "Shift+ArrowRight"], does: "Extend highlight by one op" },
  { keys: ["PageUp", "PageDown"], does: "Step over many ops" },
  { keys: ["Home", "End"], does: "First or last op" },
  { keys: ["Enter"], does: "Go to this op in the graph" },
  { keys: ["+", "-", "0"], does: "Zoom in, zoom out, show all (or use the wheel)" },
  { keys: ["Drag"], does: "Highlight a range in the graph" },
];

/** Mouse gestures on the picture, for the help; `canvas/pointer` implements them. */
export const GESTURES: readonly { readonly gesture: string; readonly does: string }[] = [
  { gesture: "Click", does: "Select a box or an edge" },
  { gesture: "Shift or Ctrl click", does: "Add a box to the selection, or remove it" },
  { gesture: "Double-click", does: "Open or close a module (or click its ▸)" },
  { gesture: "Alt click on ▸", does: "Open or close similar modules" },
  { gesture: "Drag", does: "Pan the graph" },
  { gesture: "Wheel", does: "Scroll (in a notebook: click the graph first)" },
  { gesture: "Ctrl wheel, pinch", does: "Zoom at the pointer" },
];

type Press = Pick<KeyboardEvent, "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

/**
 * The notations of a key press in the table, the likeliest first. The character counts before the key (`/` is
 * Shift-7 on some keyboards), and Shift is named only if it does not change the character.
 */
export function keysOf(press: Press): string[] {
  const digit = /^Digit(\d)$/.exec(press.code)?.[1];
  const isLetter = /^[a-z]$/i.test(press.key);
  const showsShift = press.shiftKey && (isLetter || press.key === " " || press.key.length > 1);
  const before = `${press.ctrlKey || press.metaKey ? "Mod+" : ""}${press.altKey ? "Alt+" : ""}`;
  const base = press.key === " " ? "Space" : isLetter ? press.key.toUpperCase() : press.key;
  const found = [`${before}${showsShift ? "Shift+" : ""}${base}`];
  if (digit && press.shiftKey) found.push(`${before}Shift+${digit}`);
  return found;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  SHORTCUTS.flatMap(({ command, keys }) => keys.map((key): [string, Command] => [key, command])),
);

/** The command of a key press; undefined if there is none, or if the user types into a field. */
export function commandOf(press: Press, target?: EventTarget | null): Command | undefined {
  const command = keysOf(press)
    .map((key) => COMMANDS.get(key))
    .find((each) => each !== undefined);
  return isField(target) && command !== "close" ? undefined : command;
}

/** Keys that any focused control may use. */
export const isOfPicture = ({
  key,
  altKey,
  shiftKey,
}: Pick<KeyboardEvent, "key" | "altKey" | "shiftKey">): boolean =>
  key === "Enter" || key === " " || (key.startsWith("Arrow") && !altKey && !shiftKey);

/** The first key of a command, for tooltips. */
export const keyHint = (command: Command): string =>
  keyCaps(SHORTCUTS.find((shortcut) => shortcut.command === command)?.keys[0] ?? "", false).join(" ");

const isField = (target: EventTarget | null | undefined): boolean =>
  typeof HTMLElement !== "undefined" &&
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Whether to show the names of Mac keys. */
export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key as labelled on a keyboard. */
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
