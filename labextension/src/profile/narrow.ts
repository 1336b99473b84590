/**
 * `unknown` → ProfileRecord, once: checks what code relies on. Text is not checked, because it is only shown
 * as text.
 */
import { BASES, type Columns, type ProfileRecord, SCHEMA } from "./schema";

export class UnreadableProfile extends Error {
  constructor(why: string) {
    super(`This profile cannot be read. ${why}`);
  }
}

const COLUMNS = [
  "basis",
  "calls",
  "n",
  "time",
  "min",
  "p25",
  "median",
  "p75",
  "output_bytes",
  "allocated_bytes",
  "live_bytes",
  "flops",
  "bytes_moved",
] as const satisfies readonly (keyof Columns)[];

/** The JSON of a record in a page. */
export function readProfile(bytes: Uint8Array | DataView): ProfileRecord {
  return asProfile(JSON.parse(new TextDecoder().decode(bytes)));
}

export function asProfile(raw: unknown): ProfileRecord {
  if (!isRecord(raw) || !isRecord(raw["columns"]) || !isRecord(raw["conditions"])) {
    throw new UnreadableProfile("It does not follow the schema.");
  }
  if (raw["schema"] !== SCHEMA) throw new UnreadableProfile(`Its schema is ${String(raw["schema"])}.`);
  const { columns } = raw;
  const nodes = columns["nodes"];
  if (!Array.isArray(nodes) || !nodes.every((name) => typeof name === "string")) {
    throw new UnreadableProfile("It names no nodes.");
  }
  for (const name of COLUMNS) {
    const column = columns[name];
    if (!Array.isArray(column) || column.length !== nodes.length || !column.every(Number.isFinite)) {
      throw new UnreadableProfile(`Its column ${name} does not fit its nodes.`);
    }
  }
  const record = raw as unknown as ProfileRecord;
  if (!record.columns.basis.every((basis) => BASES[basis] !== undefined)) {
    throw new UnreadableProfile("It has an unknown basis.");
  }
  return record;
}

const isRecord = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null;
