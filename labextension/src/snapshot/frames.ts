/**
 * Which frame of a stack trace is the user's. `exir_viz/snapshot/frames.py` has the same rule and its
 * reasons.
 */
import { type Detail, type Frame, NONE } from "./schema";
import type { Snapshot } from "./snapshot";

/** Where torch is installed, and where it was built. */
const LIBRARY =
  /(?:^|[/\\])(?:site|dist)-packages[/\\](?:torch|torchao|executorch[/\\]exir)[/\\]|(?:^|[/\\])torch[/\\](?:_\w+|autograd|export|functional|fx|nn|utils)(?:[/\\]|\.py$)/;

/** "<eval_with_key>.7", "<string>"; code typed at a prompt has such a name too. */
const GENERATED = /^<(?!stdin>|console>|input>|ipython-input|python-input|doctest )/;

/** Whether a file of a trace is the user's, or a library for models. */
export const isUsers = (file: string): boolean => !LIBRARY.test(file) && !GENERATED.test(file);

/** Outermost first; the last is the line that made the node. */
export function framesOf(snapshot: Snapshot, detail: Detail, node: number): Frame[] {
  const { graph, position } = snapshot.locate(node);
  const trace = detail.traces?.[detail.graphs[graph.number]?.traces[position] ?? NONE] ?? [];
  return trace.flatMap((number) => detail.frames?.[number] ?? []);
}

/** The index of the innermost frame of the user, else of the innermost; -1 without frames. */
export function usersFrame(frames: readonly Frame[]): number {
  for (let i = frames.length - 1; i >= 0; i--) if (isUsers(frames[i]?.file ?? "")) return i;
  return frames.length - 1;
}

/** The search for the nodes of a line. By the file's name: all cells of a notebook are shown as "cell". */
export function lineQuery({ file, line }: Frame): string {
  const name = file.replace(/^.*[/\\]/, "");
  return `file:${/[\s()"]/.test(name) ? JSON.stringify(name) : name} line:${line}`;
}

/** By the number of a trace: the number of the user's frame. */
export function usersFrames({ frames = [], traces = [] }: Detail): number[] {
  const areUsers = frames.map(({ file }) => isUsers(file));
  return traces.map((trace) => {
    for (let i = trace.length - 1; i >= 0; i--) if (areUsers[trace[i] ?? NONE]) return trace[i] ?? NONE;
    return trace.at(-1) ?? NONE;
  });
}

/** By the number of a trace: the frames of its calls, without torch's wrappers and generated code. */
export function callFrames({ frames = [], traces = [] }: Detail): number[][] {
  const areUsers = frames.map(({ file }) => isUsers(file));
  const areGenerated = frames.map(({ file }) => GENERATED.test(file));
  return traces.map((trace) => {
    const first = trace.findIndex((frame) => areUsers[frame]);
    return trace.slice(Math.max(first, 0)).filter((frame) => !areGenerated[frame]);
  });
}

/** A cell's file has a number for a name, as no module has; its folder may be missing from shared paths. */
const CELL = /(?:^|[/\\])\d+\.py$/;

/** Whether a file is a cell of a notebook. */
export const isCell = (path: string): boolean => CELL.test(path);

/**
 * "modeling_llama.py" for a path on any system; "cell" for a notebook's cell, whose file has a number for a
 * name.
 */
export const baseName = (path: string): string => (isCell(path) ? "cell" : path.replace(/^.*[/\\]/, ""));
