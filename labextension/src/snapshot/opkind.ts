/** The kind of an op: the rule of `exir_viz/snapshot/opkind.py`, with the tables generated from it. */
import type { OPS, Target } from "./schema";
import {
  ASSERTS,
  ITEM,
  KINDS,
  MEMORY,
  NAMESPACES,
  NO_WORK,
  type OpKind,
  PREFIXES,
  SIZE_ARITHMETIC,
  SUFFIXES,
} from "./tables";

export const OP_KINDS = Object.keys(KINDS) as OpKind[];

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

const BY_NAME = new Map<string, OpKind>(
  OP_KINDS.flatMap((kind) => words(KINDS[kind].ops).map((name): [string, OpKind] => [name, kind])),
);
const NAMESPACE_SET: ReadonlySet<string> = new Set(words(NAMESPACES));
const ASSERT_SET: ReadonlySet<string> = new Set(words(ASSERTS));
const NO_WORK_SET: ReadonlySet<string> = new Set(NO_WORK);
const ARITHMETIC = words(SIZE_ARITHMETIC);
const ENDINGS = words(SUFFIXES);
const FAMILIES = Object.entries(PREFIXES);

/** The kind of a node, from its `op` and its target. */
export function opKind(op: (typeof OPS)[number], target: Target): OpKind {
  if (op === "placeholder" || op === "output" || op === "get_attr") return "io";
  if (target.type === "higher_order") return BY_NAME.get(target.name ?? "") ?? "control";
  const isPython = target.type === "builtin" || target.type === "function";
  if (isPython && ARITHMETIC.some((start) => target.text.startsWith(start))) return "view";
  if (target.type === "op" && !NAMESPACE_SET.has(target.namespace ?? "")) return "other";
  return byName(target.name || target.text);
}

function byName(name: string): OpKind {
  const stem = name.replace(/^_+|_+$/g, "");
  let base = stem;
  while (base && !BY_NAME.has(base)) {
    const ending = ENDINGS.find((end) => base.endsWith(end));
    base = ending ? base.slice(0, -ending.length) : "";
  }
  const family = FAMILIES.find(([prefix]) => stem.startsWith(prefix))?.[1];
  return BY_NAME.get(base) ?? family ?? "other";
}

/** An op that checks something at run time and returns nothing. */
export const isAssert = (target: Target): boolean => ASSERT_SET.has(target.name ?? "");

/** Whether a call is one instruction of the runtime: an operator's, or a delegate's. */
export const isInstruction = ({ type, name }: Target): boolean =>
  type === "op" || name === "executorch_call_delegate";

/** Whether a call does work of its own, and is not part of another one's. */
export const doesWork = (target: Target): boolean => !NO_WORK_SET.has(opName(target));

/** Whether a call takes one item out of a tuple. */
export const isItem = (target: Target): boolean => opName(target) === ITEM;

/** Whether a call allocates memory for a result. */
export const isMemory = (target: Target): boolean => opName(target) === MEMORY;

/** The op's name in a box: "mm", "cond", "getitem". */
export function opTitle(op: (typeof OPS)[number], target: Target, name: string): string {
  if (op === "placeholder" || op === "get_attr") return name;
  if (op === "output") return "output";
  return target.name || target.text.replace(/^.*\./, "") || name;
}

/** The full name of an op: "aten.mm.default". */
export function opName(target: Target): string {
  if (target.type === "op") return [target.namespace, target.name, target.overload].filter(Boolean).join(".");
  return target.type === "higher_order" || target.type === "builtin"
    ? target.name || target.text
    : target.text;
}
