/**
 * A query's text → its tree, or a QueryError with the reason and the position.
 *
 * either := both ("OR" both)* both := one+ one := "-" one | "(" either ")" | term
 */

import { byText } from "../snapshot";
import { type Pattern, type Query, QueryError, type Range, type Span } from "./ast";
import { KEYS, type Key, type KeyName, keyOf } from "./language";
import { lex, type Token, type TokenValue } from "./lex";
import { riskOf } from "./regex";

export function parse(text: string): Query {
  const reader = new Reader(lex(text), text.length);
  return reader.tokens.length === 0 ? { kind: "all" } : reader.whole();
}

/** Whether a query's text is valid. */
export function isReadable(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (problem) {
    if (problem instanceof QueryError) return false;
    throw problem;
  }
}

/** Whether a query reads the detail, which is loaded on demand. */
export function needsDetail(query: Query): boolean {
  switch (query.kind) {
    case "and":
    case "or":
      return query.parts.some(needsDetail);
    case "not":
      return needsDetail(query.part);
    case "text":
    case "number":
      return keyOf(query.key)?.needsDetail === true;
    default:
      return false;
  }
}

class Reader {
  private at = 0;

  constructor(
    readonly tokens: readonly Token[],
    private readonly length: number,
  ) {}

  whole(): Query {
    const query = this.either();
    const rest = this.tokens[this.at];
    if (rest) throw new QueryError("Unmatched ). Remove it.", rest, [""]);
    return query;
  }

  private either(): Query {
    const parts = [this.both()];
    while (this.tokens[this.at]?.kind === "or") {
      this.at++;
      parts.push(this.both());
    }
    return one("or", parts);
  }

  private both(): Query {
    const parts: Query[] = [];
    for (let next = this.tokens[this.at]; next; next = this.tokens[this.at]) {
      if (next.kind === "or" || next.kind === "close") break;
      parts.push(this.single(next));
    }
    if (parts.length === 0) throw this.missing();
    return one("and", parts);
  }

  private single(token: Token): Query {
    this.at++;
    if (token.kind === "not") {
      const next = this.tokens[this.at];
      if (!next || next.kind === "close" || next.kind === "or")
        throw new QueryError("Add a term after the minus.", token);
      return { kind: "not", part: this.single(next) };
    }
    if (token.kind !== "open") return termOf(token);
    const inner = this.either();
    if (this.tokens[this.at]?.kind !== "close") {
      throw new QueryError("Missing ). Add it.", token);
    }
    this.at++;
    return inner;
  }

  private missing(): QueryError {
    const next = this.tokens[this.at];
    const before = this.tokens[this.at - 1];
    if (before?.kind === "open") return new QueryError("Empty parentheses.", before);
    if (before?.kind === "or")
      return new QueryError('Add a term after OR. To find the word itself, quote it: "OR".', before);
    if (next?.kind === "or")
      return new QueryError('Add a term before OR. To find the word itself, quote it: "OR".', next);
    if (next) return new QueryError("Unmatched ). Remove it.", next, [""]);
    return new QueryError("Add a term here.", { start: this.length, end: this.length });
  }
}

const one = (kind: "and" | "or", parts: readonly Query[]): Query => {
  const first = parts[0];
  return parts.length === 1 && first ? first : { kind, parts };
};

function termOf(token: Token): Query {
  if (token.kind !== "term") throw new QueryError("Unexpected here.", token);
  const span = { start: token.start, end: token.end };
  if (token.key === undefined) return { kind: "bare", pattern: pattern(token.value), span };
  const key = keyOf(token.key.toLowerCase());
  if (!key) throw unknownKey(token.key, token, span);
  const name = key.key as KeyName;
  if (token.value.kind !== "regex" && token.value.text === "") {
    throw new QueryError(`Add a value after ${key.key}: – for example ${key.example}.`, span, [key.example]);
  }
  if (key.type === "number" || key.type === "bytes") {
    return { kind: "number", key: name, range: rangeOf(key, token.value), span };
  }
  if (key.type === "word") checkWord(key, token.value);
  return { kind: "text", key: name, pattern: pattern(token.value), span };
}

function unknownKey(key: string, token: Token & { kind: "term" }, span: Span): QueryError {
  const names = KEYS.map((each) => each.key);
  const meant = near(key.toLowerCase(), names);
  const value = token.value.kind === "regex" ? `/${token.value.text}/` : token.value.text;
  const hint = meant.length > 0 ? `Did you mean ${meant.join(" or ")}?` : `Keys: ${names.join(", ")}.`;
  return new QueryError(
    `Unknown key "${key}". ${hint} To find the text itself, quote it: "${key}:${value}".`,
    { start: span.start, end: span.start + key.length },
    meant,
  );
}

function checkWord(key: Key, value: TokenValue): void {
  const words = key.words ?? [];
  if (value.kind === "regex" || value.text.includes("*") || words.includes(value.text.toLowerCase())) return;
  const meant = near(value.text.toLowerCase(), words);
  const hint = meant.length > 0 ? `Did you mean ${meant.join(" or ")}? ` : "";
  throw new QueryError(
    `Unknown value "${value.text}" for ${key.key}. ${hint}Values: ${words.join(", ")}.`,
    value,
    meant,
  );
}

function pattern(value: TokenValue): Pattern {
  if (value.kind !== "regex") return { kind: value.kind === "quoted" ? "exact" : "words", text: value.text };
  const risk = riskOf(value.text);
  if (risk) {
    throw new QueryError(`This regular expression could run forever: ${risk}. Use fewer repeats.`, value);
  }
  try {
    // `g` and `y` would carry state from one text to the next.
    const flags = value.flags.replace(/[gy]/g, "");
    return { kind: "regex", regex: new RegExp(value.text, flags.includes("i") ? flags : `${flags}i`) };
  } catch (problem) {
    const why = problem instanceof Error ? problem.message.replace(/^.*: /, "") : String(problem);
    throw new QueryError(`Invalid regular expression: ${why}.`, value);
  }
}

const NUMBER = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)([a-zA-Z]*)(?:\.\.(\d+(?:\.\d+)?)([a-zA-Z]*))?$/;
const UNITS = ["b", "kb", "mb", "gb", "tb"];

function rangeOf(key: Key, value: TokenValue): Range {
  const found = value.kind === "regex" ? null : NUMBER.exec(value.text);
  const [, sign = "", low = "", unit = "", high, highUnit = ""] = found ?? [];
  if (!found || (high !== undefined && sign !== "")) {
    const text = value.kind === "regex" ? `/${value.text}/` : value.text;
    throw new QueryError(
      `${key.key}: takes a number, not "${text}". Examples: ${key.key}:3, ${key.key}:>3, ${key.key}:3..5.`,
      value,
    );
  }
  const first = scaled(key, low, high !== undefined && unit === "" ? highUnit : unit, value);
  if (high !== undefined) {
    return {
      low: first,
      high: scaled(key, high, highUnit || unit, value),
      isLowOpen: false,
      isHighOpen: false,
    };
  }
  return {
    low: sign.startsWith("<") ? Number.NEGATIVE_INFINITY : first,
    high: sign.startsWith(">") ? Number.POSITIVE_INFINITY : first,
    isLowOpen: sign === ">",
    isHighOpen: sign === "<",
  };
}

function scaled(key: Key, digits: string, unit: string, span: Span): number {
  if (unit === "") return Number(digits);
  const power = UNITS.indexOf(unit.toLowerCase().replace("ib", "b"));
  if (key.type !== "bytes" || power < 0) {
    const takes = key.type === "bytes" ? "takes B, KB, MB, GB or TB" : "takes no unit";
    throw new QueryError(`${key.key}: ${takes}, not "${unit}".`, span);
  }
  return Number(digits) * 1024 ** power;
}

/** Suggestions for a misspelled word: words with the same beginning, or at most two edits away. */
function near(word: string, words: readonly string[], limit = 3): string[] {
  const allowed = word.length <= 3 ? 1 : 2;
  return words
    .map((each) => ({ each, away: each.startsWith(word) ? 0.5 : distance(word, each) }))
    .filter(({ away }) => away <= allowed)
    .sort((a, b) => a.away - b.away || byText(a.each, b.each))
    .slice(0, limit)
    .map(({ each }) => each);
}

/** Insertions, deletions and replacements from one word to another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
