/** Validates messages of the kernel by the fields that Python declares; see `exir_viz/widget/messages.py`. */
import { type FieldTables, isObject, wrongField } from "../snapshot/fields";
import { KERNEL_MESSAGES, type KernelMessage, ORDERS, type Order, PARTS } from "./messages";

export type Incoming = KernelMessage | Order;
export type MessageOf<K extends Incoming["kind"]> = Extract<Incoming, { readonly kind: K }>;

/** Why a message is invalid; undefined for a valid one. */
export function problemOf(raw: unknown): string | undefined {
  if (!isObject(raw)) return "it is no object";
  const tables: FieldTables = raw["kind"] === "do" ? ORDERS : KERNEL_MESSAGES;
  const tag = String(raw["kind"] === "do" ? raw["action"] : raw["kind"]);
  const fields = Object.hasOwn(tables, tag) ? tables[tag] : undefined;
  if (!fields) return `there is none of the kind "${tag}"`;
  const wrong = wrongField(raw, fields, PARTS);
  return wrong && `its field "${wrong.replace("?", "")}" is not ${fields[wrong]}`;
}
