/**
 * Runs a query in one program; returns nodes in execution order. A mount has one Searcher per Snapshot; the
 * data for the first query serves all others.
 */
import { type Detail, type Snapshot, UnreadableSnapshot } from "../snapshot";
import type { Query } from "./ast";
import { Columns } from "./columns";
import { bareMarks, numberMarks, textMarks } from "./fields";
import { needsDetail, parse } from "./parse";
import { frameMarks, isOfFrame } from "./traces";

export class Searcher {
  private laidOut: Columns | undefined;

  constructor(readonly snapshot: Snapshot) {}

  /** Nodes that match a query's text. Throws QueryError; loads the detail only if the query needs it. */
  async find(text: string): Promise<Int32Array> {
    const query = parse(text);
    return this.match(query, needsDetail(query) ? await this.snapshot.detail() : undefined);
  }

  /** As `find`, synchronously. `detail` must be loaded if `needsDetail(query)`. */
  match(query: Query, detail = this.snapshot.detailNow): Int32Array {
    this.laidOut ??= new Columns(this.snapshot);
    const marks = marksOf(this.laidOut, query, detail);
    let count = 0;
    for (const mark of marks) count += mark;
    const nodes = new Int32Array(count);
    for (let node = 0, at = 0; node < marks.length; node++) if (marks[node] === 1) nodes[at++] = node;
    return nodes;
  }
}

function marksOf(columns: Columns, query: Query, detail: Detail | undefined): Uint8Array {
  if (isOfFrame(query)) return frameMarks(columns, there(detail), [query]);
  switch (query.kind) {
    case "all":
      return new Uint8Array(columns.count).fill(1);
    case "not":
      return not(marksOf(columns, query.part, detail));
    case "or":
      return query.parts.map((part) => marksOf(columns, part, detail)).reduce(either);
    case "and": {
      const frames = query.parts.filter(isOfFrame);
      const marks = query.parts
        .filter((part) => !isOfFrame(part))
        .map((part) => marksOf(columns, part, detail));
      if (frames.length > 0) marks.push(frameMarks(columns, there(detail), frames));
      return marks.reduce(both);
    }
    case "bare":
      return bareMarks(columns, query.pattern);
    case "text":
      return textMarks(columns, query.key, query.pattern);
    case "number":
      return numberMarks(columns, query.key, query.range);
  }
}

function there(detail: Detail | undefined): Detail {
  if (!detail) throw new UnreadableSnapshot("The detail of this program is not loaded yet: use find(…).");
  return detail;
}

// Marks belong to one query, so they may be overwritten.
function either(a: Uint8Array, b: Uint8Array): Uint8Array {
  for (let i = 0; i < a.length; i++) a[i] = (a[i] ?? 0) | (b[i] ?? 0);
  return a;
}

function both(a: Uint8Array, b: Uint8Array): Uint8Array {
  for (let i = 0; i < a.length; i++) a[i] = (a[i] ?? 0) & (b[i] ?? 0);
  return a;
}

function not(a: Uint8Array): Uint8Array {
  for (let i = 0; i < a.length; i++) a[i] = 1 - (a[i] ?? 0);
  return a;
}
