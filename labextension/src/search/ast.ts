/** A parsed query: a tree of terms. Every term knows its position in the text, for errors and highlights. */
import type { KeyName } from "./language";

/** Characters of the query: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How a text is matched; case is ignored, except by a regular expression with its own flags. */
export type Pattern =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "exact"; readonly text: string }
  | { readonly kind: "regex"; readonly regex: RegExp };

/** An inclusive range; an open side is infinite. `above`/`below` exclude their end. */
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

/** An invalid query: the error, and its position. */
export class QueryError extends Error {
  override readonly name = "QueryError";

  constructor(
    message: string,
    readonly span: Span,
    /** Possible corrections, each a text to replace the span. */
    readonly suggestions: readonly string[] = [],
  ) {
    super(message);
  }
}
