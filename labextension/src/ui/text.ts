/**
 * Text of a program, prepared for display. It is only ever set as text; characters that could deceive are
 * written as escapes: control characters and line ends, marks that reorder, and characters without width.
 */
import { grouped } from "../snapshot";

export { plural } from "../snapshot/format";

const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to show
  /[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\u034f/g;

/** Longer than anyone reads in a panel; a copy has all of it. */
const MOST = 2000;

export function visible(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}… (${grouped(text.length)})` : text;
  return shown.replace(INVISIBLE, written);
}

/** The same for a message of ours, which keeps its line breaks. */
export const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n");

/** In the notation of string literals. */
const written = (char: string): string =>
  char === "\n" ? "\\n" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** "1 more op" as the first words of a sentence or a label. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The last name of a dotted path: "LlamaMLP" of "transformers.models.llama.LlamaMLP". */
export const lastName = (dotted: string): string => dotted.slice(dotted.lastIndexOf(".") + 1);
