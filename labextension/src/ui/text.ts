/**
 * Text of a program, made fit to be shown. It is only ever set as text; here what would fool the eye is written
 * out: control characters and ends of lines, marks that reorder, and characters of no width.
 */
import { grouped } from "../snapshot";

const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to show
  /[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\u034f/g;

/** More than anyone reads in a panel; a copy has it all. */
const MOST = 2000;

export function visible(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}… (${grouped(text.length)})` : text;
  return shown.replace(INVISIBLE, written);
}

/** The same of a message of ours, whose lines are lines. */
export const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n");

/** As a string literal writes it. */
const written = (char: string): string =>
  char === "\n" ? "\\n" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The last name of a dotted path: "LlamaMLP" of "transformers.models.llama.LlamaMLP". */
export const lastName = (dotted: string): string => dotted.slice(dotted.lastIndexOf(".") + 1);

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;
