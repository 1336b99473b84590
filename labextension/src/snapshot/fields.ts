/** Validates plain records by tables of fields, which `python -m exir_viz.typescript` makes. */

/**
 * By name, with "?" after an optional field: "string[]", "number | null", "(string | null)[]", "object", "unknown", a
 * record.
 */
export type Fields = Readonly<Record<string, string>>;
/** By the name of a record. */
export type FieldTables = Readonly<Record<string, Fields>>;

export const isObject = (x: unknown): x is Readonly<Record<string, unknown>> =>
  typeof x === "object" && x !== null;

/** The first field of a record that is missing or has another type. */
export const wrongField = (
  record: Readonly<Record<string, unknown>>,
  fields: Fields,
  tables: FieldTables,
): string | undefined =>
  Object.keys(fields).find((field) => !hasField(record, field, fields[field] ?? "", tables));

function hasField(
  record: Readonly<Record<string, unknown>>,
  field: string,
  type: string,
  tables: FieldTables,
): boolean {
  const name = field.replace("?", "");
  const value = record[name];
  return value === undefined ? name !== field : isAnyOf(type, value, tables);
}

/** Of the types that " | " separates; a list of several types has these in parentheses. */
const isAnyOf = (types: string, value: unknown, tables: FieldTables): boolean =>
  types.split(/ \| (?![^(]*\))/).some((each) => isOf(each, value, tables));

const itemOf = (list: string): string => list.slice(0, -2).replace(/^\((.*)\)$/, "$1");

function isOf(type: string, value: unknown, tables: FieldTables): boolean {
  if (type.endsWith("[]"))
    return Array.isArray(value) && value.every((each) => isAnyOf(itemOf(type), each, tables));
  if (type === "unknown") return true;
  if (type === "null") return value === null;
  if (type === "object") return isObject(value);
  if (type === "Blob") return value instanceof Blob;
  if (type === "Uint8Array") return value instanceof Uint8Array;
  const fields = tables[type];
  if (!fields) return typeof value === type;
  return isObject(value) && wrongField(value, fields, tables) === undefined;
}
