/** A query, parsed: a tree of terms. Every term knows where in the text it stands, for errors and highlights. */
import type { KeyName } from "./language";

/** Characters of the query: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How a text is matched; always without regard to case, save a regular expression with a flag of its own. */
export type Pattern =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "exact"; readonly text: string }
  | { readonly kind: "regex"; readonly regex: RegExp };

/** An inclusive range; a side that is open is infinite. `above`/`below` exclude their end. */
export interface Range {
  readonly low: number;
  readonly high: number;
  readonly isLowOpen: boolean;
  readonly isHighOpen: boolean;
}

export type Query =
  | { readonly kind: "all" }
  | { readonly kind: "and" | "or"; readonly parts: readonly Query[] }
  | { readonly kind: "not"; readonly part: Query }
  | { readonly kind: "bare"; readonly pattern: Pattern; readonly span: Span }
  | { readonly kind: "text"; readonly key: KeyName; readonly pattern: Pattern; readonly span: Span }
  | { readonly kind: "number"; readonly key: KeyName; readonly range: Range; readonly span: Span };

/** A query that cannot be read: what is wrong, and which characters of it. */
export class QueryError extends Error {
  override readonly name = "QueryError";

  constructor(
    message: string,
    readonly span: Span,
    /** What might have been meant, each a text to put in place of the span. */
    readonly suggestions: readonly string[] = [],
  ) {
    super(message);
  }
}
