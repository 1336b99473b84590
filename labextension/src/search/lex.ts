/**
 * A query's text → tokens. Quotes and slashes contain everything up to their end, including spaces and
 * parentheses. The only error is a missing end.
 */
import { QueryError, type Span } from "./ast";

export type Token = Span &
  (
    | { readonly kind: "open" | "close" | "or" | "not" }
    | { readonly kind: "term"; readonly key?: string; readonly value: TokenValue }
  );

export type TokenValue = Span &
  (
    | { readonly kind: "plain" | "quoted"; readonly text: string }
    | { readonly kind: "regex"; readonly text: string; readonly flags: string }
  );

const KEY = /^([a-zA-Z_]+):/;

export function lex(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (/\s/.test(char)) {
      at++;
    } else if (char === "(" || char === ")") {
      tokens.push({ kind: char === "(" ? "open" : "close", start: at, end: at + 1 });
      at++;
    } else if (char === "-" && /[^\s)]/.test(text[at + 1] ?? " ")) {
      tokens.push({ kind: "not", start: at, end: at + 1 });
      at++;
    } else {
      const token = term(text, at);
      tokens.push(token);
      at = token.end;
    }
  }
  return tokens;
}

function term(text: string, start: number): Token {
  const key = KEY.exec(text.slice(start, start + 64))?.[1];
  const value = valueAt(text, key === undefined ? start : start + key.length + 1);
  const span = { start, end: value.end };
  if (key === undefined && value.kind === "plain" && value.text === "OR") return { kind: "or", ...span };
  return key === undefined ? { kind: "term", value, ...span } : { kind: "term", key, value, ...span };
}

function valueAt(text: string, start: number): TokenValue {
  const first = text[start];
  if (first === '"') {
    const end = closing(text, start, '"', "quote");
    return { kind: "quoted", text: unescaped(text.slice(start + 1, end)), start, end: end + 1 };
  }
  if (first === "/") {
    const end = closing(text, start, "/", "regular expression");
    const flags = /^[a-z]*/.exec(text.slice(end + 1))?.[0] ?? "";
    return {
      kind: "regex",
      text: text.slice(start + 1, end),
      flags,
      start,
      end: end + 1 + flags.length,
    };
  }
  const end = plainEnd(text, start);
  return { kind: "plain", text: text.slice(start, end), start, end };
}

/**
 * A plain value ends at a space, or at a parenthesis that it did not open: `shape:Max(1, u0)` needs quotes.
 */
function plainEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? "";
    if (/\s/.test(char)) return at;
    if (char === "(") depth++;
    if (char === ")" && --depth < 0) return at;
  }
  return text.length;
}

function closing(text: string, start: number, mark: string, what: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === mark) return at;
  }
  throw new QueryError(`Unterminated ${what}. Add ${mark}.`, { start, end: text.length }, [
    text.slice(start) + mark,
  ]);
}

const unescaped = (text: string): string => text.replace(/\\(["\\])/g, "$1");
