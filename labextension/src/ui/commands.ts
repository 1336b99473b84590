/**
 * What a user can do, as lists of commands: keys, help, palette and menus are made from them. The explorer's list is
 * `frame/commands`, that of a comparison `compare/columns/commands`.
 */

export interface Command<T> {
  readonly name: string;
  /** As written by `keysOf`; the first is shown first. */
  readonly keys?: readonly string[];
  /** Its heading in lists. */
  readonly group: string;
  readonly does: string;
  /** `key`: what was pressed, if it was a key. */
  readonly run: (on: T, key?: string) => unknown;
  /** Whether a switch is on. */
  readonly isOn?: (on: T) => boolean;
  /** Whether it makes sense for what is shown; if not, only its key is left, which says so. */
  readonly applies?: (on: T) => boolean;
  /** Where it is in addition to the palette: in the menu of the bar, or in that of the selected box. */
  readonly place?: "menu" | "selection";
  /** A word in the head of the selection's panel. */
  readonly word?: string;
  /** Whether it makes sense only as a key. */
  readonly isKeyOnly?: boolean;
}

/** A row of a menu or the palette. */
export interface Entry {
  readonly group: string;
  readonly title: string;
  readonly key?: string | undefined;
  readonly isOn?: boolean | undefined;
  /** Why it is unavailable. */
  readonly reason?: string | undefined;
  readonly run: () => unknown;
}

/** The commands that apply, as rows; `isIn` chooses some. */
export const entriesOf = <T>(
  commands: readonly Command<T>[],
  on: T,
  isIn: (command: Command<T>) => boolean = () => true,
): Entry[] =>
  commands
    .filter((command) => !command.isKeyOnly && isIn(command) && (command.applies?.(on) ?? true))
    .map(({ group, does, keys, isOn, run }) => ({
      group,
      title: does,
      key: keys?.[0],
      isOn: isOn?.(on),
      run: () => run(on),
    }));

/** Rows of the help that are no commands. */
export interface HelpRow {
  readonly keys: readonly string[];
  readonly does: string;
}

/** Keys and pointer of the timeline while it has the focus. */
export const TIMELINE_KEYS: readonly HelpRow[] = [
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
function keysOf(press: Press): string[] {
  const digit = /^Digit(\d)$/.exec(press.code)?.[1];
  const isLetter = /^[a-z]$/i.test(press.key);
  const showsShift = press.shiftKey && (isLetter || press.key === " " || press.key.length > 1);
  const before = `${press.ctrlKey || press.metaKey ? "Mod+" : ""}${press.altKey ? "Alt+" : ""}`;
  const base = press.key === " " ? "Space" : isLetter ? press.key.toUpperCase() : press.key;
  const found = [`${before}${showsShift ? "Shift+" : ""}${base}`];
  if (digit && press.shiftKey) found.push(`${before}Shift+${digit}`);
  return found;
}

/**
 * The command of a key press, and its key as the list writes it; undefined if there is none, or if the user types into
 * a field.
 */
export function commandOf<T>(
  commands: readonly Command<T>[],
  press: Press,
  target?: EventTarget | null,
): { readonly command: Command<T>; readonly key: string } | undefined {
  for (const key of keysOf(press)) {
    const command = commands.find(({ keys }) => keys?.includes(key));
    if (command) return isField(target) && command.name !== "close" ? undefined : { command, key };
  }
  return undefined;
}

/** Keys that any focused control may use. */
export const isOfPicture = ({
  key,
  altKey,
  shiftKey,
}: Pick<KeyboardEvent, "key" | "altKey" | "shiftKey">): boolean =>
  key === "Enter" || key === " " || (key.startsWith("Arrow") && !altKey && !shiftKey);

const isField = (target: EventTarget | null | undefined): boolean =>
  typeof HTMLElement !== "undefined" &&
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Whether to show the names of Mac keys. */
const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key as labelled on a keyboard. */
export function keyCaps(key: string, isOnMac = isMac()): string[] {
  const words: Readonly<Record<string, string>> = {
    Mod: isOnMac ? "⌘" : "Ctrl",
    Alt: isOnMac ? "⌥" : "Alt",
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
