/**
 * The user's names of symbols, `Dim("seq")`, replace torch's ("s70") everywhere: in shapes, strides,
 * expressions, ranges and guards. Files keep torch's names. The rules of `exir_viz/snapshot/symbol_names.py`.
 */
import type { MethodRecord } from "./schema";

/** By torch's name of a symbol. */
export type UserNames = ReadonlyMap<string, string>;

const IDENTIFIER = /[A-Za-z_]\w*/g;

/** For symbols with a known Dim; not if two symbols have one name, or a name is another symbol's. */
export function userNames(methods: readonly MethodRecord[]): UserNames {
  const symbols = methods.flatMap((method) => method.symbols ?? []);
  const taken = new Set(symbols.map(({ name }) => name));
  const owners = new Map<string, Set<string>>();
  const names = new Map<string, Set<string>>();
  for (const { name, dim } of symbols) {
    if (!dim) continue;
    owners.set(dim, (owners.get(dim) ?? new Set()).add(name));
    names.set(name, (names.get(name) ?? new Set()).add(dim));
  }
  const found = new Map<string, string>();
  for (const [name, dims] of names) {
    const [dim = ""] = dims;
    if (dims.size === 1 && owners.get(dim)?.size === 1 && !taken.has(dim)) found.set(name, dim);
  }
  return found;
}

export const withUserNames = (text: string, names: UserNames): string =>
  text.replace(IDENTIFIER, (name) => names.get(name) ?? name);

/** Fields whose texts contain symbols. */
const FIELDS: ReadonlySet<string> = new Set(["shape", "stride", "offset", "expr", "guards", "texts"]);

/** A record with users' names everywhere in it; the record itself if there are none. */
export function renamed<T>(record: T, names: UserNames): T {
  return names.size ? (walk(record, names, false) as T) : record;
}

function walk(x: unknown, names: UserNames, isText: boolean): unknown {
  if (typeof x === "string") return isText ? withUserNames(x, names) : x;
  if (Array.isArray(x)) {
    const isPlain = typeof x[0] === "number" && !isText;
    return isPlain ? x : x.map((each) => walk(each, names, isText));
  }
  if (typeof x !== "object" || x === null || ArrayBuffer.isView(x)) return x;
  return Object.fromEntries(
    Object.entries(x).map(([key, value]) => [key, walk(value, names, FIELDS.has(key))]),
  );
}
