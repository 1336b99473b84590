/** Widths of texts, and texts cut to a width: measured once, in world pixels. */
import type { Measure, TextRole } from "../picture";
import { font, type Theme } from "./theme";

/** Hostile names may be 100 kB long; no box shows more than this of one. */
const LONGEST = 400;

/** Measures text with a canvas and caches texts and widths. */
export function canvasMeasure(theme: Theme, document: Document): Measure {
  const context = document.createElement("canvas").getContext("2d");
  const widths = new Map<string, number>();
  let role: TextRole | undefined;
  return (text, wanted) => {
    const key = `${wanted}${text.slice(0, LONGEST)}`;
    const known = widths.get(key);
    if (known !== undefined) return known;
    if (context && role !== wanted) context.font = font(theme, wanted);
    role = wanted;
    const width = context?.measureText(text.slice(0, LONGEST)).width ?? 7 * Math.min(LONGEST, text.length);
    widths.set(key, width);
    return width;
  };
}

/** Characters that are invisible or change the text direction: one name must not look like another. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to show
const DECEPTIVE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

const plain = (text: string): string =>
  Array.from(text.slice(0, LONGEST), (char) => (DECEPTIVE.test(char) ? "�" : char)).join("");

export type Clip = (text: string, role: TextRole, width: number) => string;

/**
 * Cuts out the middle of a text that is too wide: "b_model_…_freq". If almost nothing would remain, it keeps
 * the beginning ("ge…"), or the beginning and the number ("la…17"). Empty if not even two letters fit.
 */
export function clipper(measure: Measure): Clip {
  const cut = new Map<string, string>();
  return (raw, role, width) => {
    const text = DECEPTIVE.test(raw) ? plain(raw) : raw;
    if (text.length <= LONGEST && measure(text, role) <= width) return text;
    const key = `${role} ${Math.round(width)} ${text.slice(0, LONGEST)}`;
    const known = cut.get(key) ?? shortened(text, (part) => measure(part, role) <= width);
    cut.set(key, known);
    return known;
  };
}

/** With so few letters, the first ones say more than the first and the last. */
const FEW = 5;

function shortened(text: string, fits: (part: string) => boolean): string {
  const letters = Array.from(text.slice(0, LONGEST)); // by code point, so that no surrogate pair is cut in half
  const keep = (count: number): string => {
    const tail = Math.floor(count * 0.4);
    return `${letters.slice(0, count - tail).join("")}…${tail ? letters.slice(-tail).join("") : ""}`;
  };
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(keep(middle))) low = middle;
    else high = middle - 1;
  }
  if (low > FEW) return keep(low);
  const [number = ""] = /(?<=\.)\d+$/.exec(text) ?? [];
  for (const tail of number ? [number, ""] : [""]) {
    for (let count = low; count >= (tail ? 1 : 2); count--) {
      const start = `${letters.slice(0, count).join("")}…${tail}`;
      if (fits(start)) return start;
    }
  }
  return "";
}
