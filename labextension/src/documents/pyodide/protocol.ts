/** Validates the messages between a page and the web worker that runs our Python reader; both ends do. */
import { type FieldTables, isObject, wrongField } from "../../snapshot/fields";
import { PARTS, READER_REQUESTS, READER_RESPONSES, type ReaderRequest, type ReaderResponse } from "./schema";

/** Part of `site.json`, which `scripts/site.py` writes. */
export interface ReaderFiles {
  /** The files that the reader loads, relative to `site.json`, with the bytes of each. */
  readonly reader: Readonly<Record<string, number>>;
}

/** Undefined for anything else. */
export const asRequest = (raw: unknown): ReaderRequest | undefined =>
  isValid(raw, READER_REQUESTS) ? (raw as unknown as ReaderRequest) : undefined;

/** Undefined for anything else. */
export const asResponse = (raw: unknown): ReaderResponse | undefined =>
  isValid(raw, READER_RESPONSES) ? (raw as unknown as ReaderResponse) : undefined;

function isValid(raw: unknown, tables: FieldTables): boolean {
  if (!isObject(raw)) return false;
  const kind = String(raw["kind"]);
  const fields = Object.hasOwn(tables, kind) ? tables[kind] : undefined;
  return fields !== undefined && wrongField(raw, fields, PARTS) === undefined;
}
