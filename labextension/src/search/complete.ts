/**
 * Completions at the caret: keys, and the values in this program. Each says which characters it replaces and
 * with what, so that the box need not know the language.
 */
import { byText, grouped, OP_KINDS, opName, type Snapshot, shortDtype, type TensorValue } from "../snapshot";
import type { Span } from "./ast";
import { parts } from "./columns";
import { KEYS, keyOf } from "./language";

export interface Completion {
  /** The text in the list: "op:", "aten.mm.default". */
  readonly label: string;
  /** Its meaning, or its count. */
  readonly note: string;
  readonly replace: Span;
  readonly text: string;
}

const LIMIT = 12;

export class Completer {
  private readonly known = new Map<string, readonly (readonly [string, number])[]>();

  constructor(private readonly snapshot: Snapshot) {}

  at(text: string, caret: number): Completion[] {
    const start = wordStart(text, caret);
    const word = text.slice(start, caret);
    const [, negated = "", key, value = ""] = /^([-(]*)(?:([a-zA-Z_]+):)?(.*)$/s.exec(word) ?? [];
    if (key !== undefined) return this.values(key, value, { start: caret - value.length, end: caret });
    return keys(value, { start: start + negated.length, end: caret });
  }

  private values(key: string, begun: string, replace: Span): Completion[] {
    const wanted = begun.replace(/^"/, "").toLowerCase();
    const all = this.known.get(key) ?? this.count(key);
    this.known.set(key, all);
    const starts = all.filter(([label]) => label.toLowerCase().startsWith(wanted));
    const holds = all.filter(([label]) => label.toLowerCase().indexOf(wanted) > 0);
    return [...starts, ...holds].slice(0, LIMIT).map(([label, count]) => ({
      label,
      note: count > 0 ? grouped(count) : "",
      replace,
      text: quoted(label),
    }));
  }

  /** The values of a key with their node counts, the most frequent first. */
  private count(key: string): readonly (readonly [string, number])[] {
    const counts = new Map<string, number>();
    const { snapshot } = this;
    const add = (label: string): void => {
      if (label) counts.set(label, (counts.get(label) ?? 0) + 1);
    };
    for (const word of keyOf(key)?.words ?? []) counts.set(word, 0);
    for (const graph of snapshot.graphs) {
      for (let i = 0; i < graph.count; i++) this.labels(key, graph.base + i).forEach(add);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]));
  }

  private labels(key: string, node: number): string[] {
    const { snapshot } = this;
    const { graph, position } = snapshot.locate(node);
    const tensors = parts(snapshot.value(node)).filter((value) => value.kind === "tensor");
    const each = (label: (value: TensorValue) => string): string[] => [...new Set(tensors.map(label))];
    switch (key) {
      case "op": {
        return [graph.computes(position) ? opName(graph.target(position)) : graph.op(position)];
      }
      case "name":
        return [graph.name(position)];
      case "kind":
        return [OP_KINDS[snapshot.kindNumber(node)] ?? ""];
      case "in":
        return [snapshot.scopes[snapshot.ownerOf(node)]?.path ?? ""];
      case "class":
        return [snapshot.scopes[snapshot.ownerOf(node)]?.cls.replace(/^.*\./, "") ?? ""];
      case "dtype":
        return each((value) => shortDtype(value.dtype));
      case "shape":
        return each((value) => value.shape.join("x") || "scalar");
      case "device":
        return each((value) => value.device ?? "cpu");
      case "graph":
        return [graph.path];
      case "state":
        return [snapshot.inputSpec(node)?.target ?? ""];
      case "symbol":
        return [...symbols(tensors.flatMap((value) => value.shape))];
      case "file":
        return this.files(graph.number, position);
      default:
        return [];
    }
  }

  private files(graph: number, position: number): string[] {
    const detail = this.snapshot.detailNow;
    const trace = detail?.traces?.[detail.graphs[graph]?.traces[position] ?? -1] ?? [];
    const files = trace.map((frame) => detail?.frames?.[frame]?.file.replace(/^.*\//, "") ?? "");
    return [...new Set(files)];
  }
}

function keys(begun: string, replace: Span): Completion[] {
  const wanted = begun.toLowerCase();
  return KEYS.filter(({ key }) => key.startsWith(wanted)).map(({ key, example }) => ({
    label: `${key}:`,
    note: example,
    replace,
    text: `${key}:`,
  }));
}

/** The start of the word at the caret; quotes may contain spaces. */
function wordStart(text: string, caret: number): number {
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < caret; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /\s/.test(text[at] ?? "")) start = at + 1;
  }
  return start;
}

const symbols = (shape: readonly (number | string)[]): Set<string> =>
  new Set(shape.flatMap((dim) => (typeof dim === "string" ? (dim.match(/[a-zA-Z_]\w*/g) ?? []) : [])));

const quoted = (label: string): string =>
  /[\s()"]|^[-/]/.test(label) ? `"${label.replace(/["\\]/g, "\\$&")}"` : label;
