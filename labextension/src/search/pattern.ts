/**
 * Patterns → tests of a text. A glob is matched by hand, in bounded time.
 *
 * `whole`: a text without `*` must match all of it. `within`: it may be anywhere. Case is ignored: callers
 * convert texts to lower case once.
 */
import type { Pattern } from "./ast";
import { timed } from "./regex";

/** A test of a text in lower case. */
export type Test = (lower: string) => boolean;

export function whole(pattern: Pattern): Test {
  if (pattern.kind === "regex") return timed(pattern.regex);
  const wanted = pattern.text.toLowerCase();
  return pattern.kind === "words" && wanted.includes("*")
    ? (text) => glob(wanted, text)
    : (text) => text === wanted;
}

export function within(pattern: Pattern): Test {
  if (pattern.kind === "regex") return timed(pattern.regex);
  const wanted = pattern.text.toLowerCase();
  return pattern.kind === "words" && wanted.includes("*")
    ? (text) => glob(`*${wanted}*`, text)
    : (text) => text.includes(wanted);
}

/** `*` is any run of characters; all others are literal. */
export function glob(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts.at(-1) ?? "";
  return parts.length === 1 ? text === pattern : text.length - last.length >= at && text.endsWith(last);
}

/** As `glob`, for lists: `*` is any run of items, `?` any one; an item may be a glob. */
export function globList(pattern: readonly string[], items: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      if (part === "*") for (let i = at; i <= items.length; i++) next.add(i);
      else if (at < items.length && (part === "?" || glob(part, items[at] ?? ""))) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(items.length);
}
