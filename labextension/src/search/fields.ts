/** How each key of the language searches a program: a key and its pattern → a mark per node. */
import {
  COMPUTES,
  deviceOf,
  NONE,
  OP_KINDS,
  OPS,
  opName,
  type Scope,
  shortDtype,
  type Target,
  type Value,
} from "../snapshot";
import type { Pattern, Range } from "./ast";
import { type Columns, marksOf, OP, parts, segments } from "./columns";
import { type KeyName, STATES } from "./language";
import { glob, globList, type Test, whole, within } from "./pattern";
import { timed } from "./regex";
import { inState, roleOf } from "./roles";

export const isIn = (range: Range, number: number): boolean =>
  (range.isLowOpen ? number > range.low : number >= range.low) &&
  (range.isHighOpen ? number < range.high : number <= range.high);

/** A text key that does not need the detail. */
export function textMarks(columns: Columns, key: KeyName, pattern: Pattern): Uint8Array {
  const { snapshot } = columns;
  const { values } = snapshot.skeleton;
  const test = whole(pattern);
  const ofValues = (one: (value: Value) => boolean): Uint8Array =>
    columns.marked(
      columns.value,
      marksOf(values, (value) => parts(value).some(one)),
    );
  switch (key) {
    case "op":
      return opMarks(columns, test);
    case "name":
      return Uint8Array.from(columns.names, (name) => (test(name) ? 1 : 0));
    case "in":
      return scopeMarks(columns, modules(columns, pattern));
    case "class":
      return scopeMarks(columns, ({ cls }) => test(cls.toLowerCase()) || test(lastOf(cls).toLowerCase()));
    case "kind": {
      const kinds = marksOf(OP_KINDS, test);
      return marksByNode(columns, (node) => kinds[snapshot.kindNumber(node)] === 1);
    }
    case "dtype":
      return ofValues(
        (value) =>
          value.kind === "tensor" && (test(value.dtype.toLowerCase()) || test(shortDtype(value.dtype))),
      );
    case "shape":
      return ofValues(shapes(pattern));
    case "symbol":
      return ofValues((value) => symbolsOf(value).some((name) => test(name.toLowerCase())));
    case "device":
      return ofValues((value) => value.kind === "tensor" && test(deviceOf(value).toLowerCase()));
    case "role":
      return marksByNode(columns, (node) => test(roleOf(snapshot, node)));
    case "is":
      return anyOf(
        columns,
        STATES.filter(test).map((state) => inState(columns, state)),
      );
    case "state":
      return marksByNode(
        columns,
        (node) =>
          columns.op[node] === OP.placeholder && test((snapshot.inputSpec(node)?.target ?? "").toLowerCase()),
      );
    case "graph":
      return columns.marked(
        columns.graph,
        marksOf(
          snapshot.graphs,
          ({ path }) => test(path.toLowerCase()) || test(path.slice(path.lastIndexOf("/") + 1).toLowerCase()),
        ),
      );
    default:
      throw new Error(`The key ${key} is not one of the skeleton.`);
  }
}

export function numberMarks(columns: Columns, key: KeyName, range: Range): Uint8Array {
  const { snapshot } = columns;
  switch (key) {
    case "users":
      return Uint8Array.from(columns.users, (count) => (isIn(range, count) ? 1 : 0));
    case "inputs":
      return Uint8Array.from(columns.inputs, (count) => (isIn(range, count) ? 1 : 0));
    case "bytes":
      return columns.marked(
        columns.value,
        Uint8Array.from(columns.bytes, (bytes) => (isIn(range, bytes) ? 1 : 0)),
      );
    case "rank":
      return columns.marked(
        columns.value,
        marksOf(snapshot.skeleton.values, (value) =>
          parts(value).some((one) => one.kind === "tensor" && isIn(range, one.shape.length)),
        ),
      );
    default:
      throw new Error(`The key ${key} is not a number of the skeleton.`);
  }
}

/** A bare word: in the name, the op, the module path, or the state of a placeholder. */
export function bareMarks(columns: Columns, pattern: Pattern): Uint8Array {
  const { snapshot } = columns;
  const test = within(pattern);
  const targets = marksOf(
    snapshot.skeleton.targets,
    (target) => isCalled(target) && test(opName(target).toLowerCase()),
  );
  const scopes = marksOf(snapshot.scopes, (scope) => test(scope.path.toLowerCase()));
  const marks = nameMarks(columns, pattern, test);
  for (let node = 0; node < marks.length; node++) {
    const scope = columns.scope[node] ?? NONE;
    if (marks[node] === 1) continue;
    if (targets[columns.target[node] ?? 0] === 1 || (scope !== NONE && scopes[scope] === 1)) marks[node] = 1;
    else if (columns.op[node] === OP.placeholder)
      marks[node] = test((snapshot.inputSpec(node)?.target ?? "").toLowerCase()) ? 1 : 0;
  }
  return marks;
}

/** Nodes whose name contains the pattern. A plain text is searched in all names at once. */
function nameMarks(columns: Columns, pattern: Pattern, test: Test): Uint8Array {
  const isPlain = pattern.kind === "exact" || (pattern.kind === "words" && !pattern.text.includes("*"));
  if (!isPlain) return Uint8Array.from(columns.names, (name) => (test(name) ? 1 : 0));
  const marks = new Uint8Array(columns.count);
  const wanted = pattern.text.toLowerCase();
  const { text, start } = columns.joinedNames;
  let node = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at)) {
    while ((start[node + 1] ?? text.length) <= at) node++;
    const next = start[node + 1] ?? text.length;
    // A match across the end of a name does not count.
    if (at + wanted.length < next) {
      marks[node] = 1;
      at = next;
    } else at++;
  }
  return marks;
}

function opMarks(columns: Columns, test: Test): Uint8Array {
  const words = marksOf(OPS, test);
  const isCall = marksOf(OPS, (op) => COMPUTES.some((each) => each === op));
  const targets = marksOf(
    columns.snapshot.skeleton.targets,
    (target) => isCalled(target) && wordings(target).some(test),
  );
  return marksByNode(columns, (node) => {
    const op = columns.op[node] ?? 0;
    return words[op] === 1 || (isCall[op] === 1 && targets[columns.target[node] ?? 0] === 1);
  });
}

/** Inputs and attributes are as frequent as nodes, and are found by their names. */
const isCalled = ({ type }: Target): boolean => type !== "input" && type !== "output" && type !== "attribute";

/** "mm", "aten.mm", "aten.mm.default", "mm.default": all ways to name the op. */
function wordings(target: Target): string[] {
  const { namespace = "", name = "", overload = "", text } = target;
  const found = [name, `${namespace}.${name}`, `${namespace}.${name}.${overload}`, `${name}.${overload}`];
  return [...found, opName(target), text].map((each) => each.toLowerCase());
}

/** A scope that passes the test, or is inside one that does. */
function scopeMarks(columns: Columns, holds: (scope: Scope, number: number) => boolean): Uint8Array {
  const { scopes } = columns.snapshot;
  const table = new Uint8Array(scopes.length);
  scopes.forEach((scope, number) => {
    table[number] = table[scope.parent] === 1 || holds(scope, number) ? 1 : 0;
  });
  return columns.marked(columns.scope, table);
}

/**
 * Consecutive whole segments anywhere in a path: "layers.3" is in "model.layers.3.mlp", and not in
 * "layers.31".
 */
function modules(columns: Columns, pattern: Pattern): (scope: Scope, number: number) => boolean {
  if (pattern.kind === "regex") {
    const test = timed(pattern.regex);
    return ({ path }) => test(path);
  }
  const wanted = segments(pattern.text);
  const isExact = pattern.kind === "exact";
  return (_, number) => {
    const have = columns.paths[number] ?? [];
    const last = isExact ? 0 : have.length - wanted.length;
    if (isExact && have.length !== wanted.length) return false;
    for (let at = 0; at <= last; at++) {
      if (wanted.every((part, i) => part === "*" || glob(part, have[at + i] ?? ""))) return true;
    }
    return false;
  };
}

function shapes(pattern: Pattern): (value: Value) => boolean {
  if (pattern.kind === "regex") {
    const test = timed(pattern.regex);
    return (value) => value.kind === "tensor" && test(value.shape.join("x"));
  }
  const text = pattern.text.toLowerCase().replace(/^\[|\]$/g, "");
  // An x between sizes; not the one of Max(…), and not inside parentheses.
  const wanted = text.split(/\s*(?:[×,]|x(?!\())\s*(?![^()]*\))/).filter((dim) => dim !== "");
  if (text === "scalar") wanted.length = 0;
  return (value) =>
    value.kind === "tensor" &&
    globList(
      wanted,
      value.shape.map((dim) => String(dim).toLowerCase()),
    );
}

function symbolsOf(value: Value): string[] {
  const texts =
    value.kind === "tensor" ? value.shape.map(String) : value.kind === "symbol" ? [value.expr] : [];
  return texts.flatMap((text) => text.match(/[a-zA-Z_]\w*/g) ?? []);
}

const lastOf = (dotted: string): string => dotted.slice(dotted.lastIndexOf(".") + 1);

function marksByNode(columns: Columns, holds: (node: number) => boolean): Uint8Array {
  const marks = new Uint8Array(columns.count);
  for (let node = 0; node < columns.count; node++) marks[node] = holds(node) ? 1 : 0;
  return marks;
}

function anyOf(columns: Columns, found: readonly Uint8Array[]): Uint8Array {
  return marksByNode(columns, (node) => found.some((marks) => marks[node] === 1));
}
