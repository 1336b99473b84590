/** Validates messages of the kernel by the fields that Python declares; see `exir_viz/widget/messages.py`. */
import { KERNEL_MESSAGES, type KernelMessage, ORDERS, type Order, PARTS } from "./messages";

export type Incoming = KernelMessage | Order;
export type MessageOf<K extends Incoming["kind"]> = Extract<Incoming, { readonly kind: K }>;

/**
 * By name, with "?" after an optional field: "string[]", "number | null", "object", "unknown", a name of
 * PARTS.
 */
type Fields = Readonly<Record<string, string>>;

/** Why a message is invalid; undefined for a valid one. */
export function problemOf(raw: unknown): string | undefined {
  if (!isObject(raw)) return "it is no object";
  const tables: Readonly<Record<string, Fields>> = raw["kind"] === "do" ? ORDERS : KERNEL_MESSAGES;
  const tag = String(raw["kind"] === "do" ? raw["action"] : raw["kind"]);
  const fields = Object.hasOwn(tables, tag) ? tables[tag] : undefined;
  if (!fields) return `there is none of the kind "${tag}"`;
  const wrong = Object.keys(fields).find((field) => !hasField(raw, field, fields[field] ?? ""));
  return wrong && `its field "${wrong.replace("?", "")}" is not ${fields[wrong]}`;
}

function hasField(record: Readonly<Record<string, unknown>>, field: string, type: string): boolean {
  const name = field.replace("?", "");
  const value = record[name];
  return value === undefined ? name !== field : type.split(" | ").some((each) => isOf(each, value));
}

function isOf(type: string, value: unknown): boolean {
  if (type.endsWith("[]"))
    return Array.isArray(value) && value.every((each) => isOf(type.slice(0, -2), each));
  if (type === "unknown") return true;
  if (type === "null") return value === null;
  if (type === "object") return isObject(value);
  const parts: Readonly<Record<string, Fields>> = PARTS;
  const part = parts[type];
  if (!part) return typeof value === type;
  return isObject(value) && Object.entries(part).every(([field, each]) => hasField(value, field, each));
}

const isObject = (x: unknown): x is Readonly<Record<string, unknown>> => typeof x === "object" && x !== null;
