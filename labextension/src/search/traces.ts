/** The keys for stack traces: file, line, code. Frames are tested once each, then traces, then nodes. */
import { baseName, type Detail, type Frame, NONE } from "../snapshot";
import type { Query } from "./ast";
import type { Columns } from "./columns";
import { isIn } from "./fields";
import type { KeyName } from "./language";
import { whole, within } from "./pattern";

const KEYS: ReadonlySet<KeyName> = new Set(["file", "line", "code"]);

/** Whether a term is about one frame of a trace. */
export const isOfFrame = (query: Query): boolean =>
  (query.kind === "text" || query.kind === "number") && KEYS.has(query.key);

/** Nodes with a frame that passes all terms: `file:model.py line:164` is one place, not two. */
export function frameMarks(columns: Columns, detail: Detail, terms: readonly Query[]): Uint8Array {
  const tests = terms.map(frameTest);
  const frames = Uint8Array.from(detail.frames ?? [], (frame) =>
    tests.every((test) => test(frame)) ? 1 : 0,
  );
  const traces = Uint8Array.from(detail.traces ?? [], (trace) =>
    trace.some((frame) => frames[frame] === 1) ? 1 : 0,
  );
  const marks = new Uint8Array(columns.count);
  for (const { number, base, count } of columns.snapshot.graphs) {
    const column = detail.graphs[number]?.traces ?? [];
    for (let i = 0; i < count; i++) {
      const trace = column[i] ?? NONE;
      if (trace !== NONE) marks[base + i] = traces[trace] ?? 0;
    }
  }
  return marks;
}

function frameTest(term: Query): (frame: Frame) => boolean {
  if (term.kind === "number") return (frame) => isIn(term.range, frame.line);
  if (term.kind !== "text") throw new Error(`A term of kind ${term.kind} is not about frames.`);
  if (term.key === "code") {
    const test = within(term.pattern);
    return (frame) => test((frame.code ?? "").toLowerCase());
  }
  const test = whole(term.pattern);
  return ({ file }) => {
    const path = file.toLowerCase();
    if (test(path) || test(baseName(path))) return true;
    for (let at = path.lastIndexOf("/"); at >= 0; at = path.lastIndexOf("/", at - 1)) {
      if (test(path.slice(at + 1))) return true;
      if (at === 0) break;
    }
    return false;
  };
}
