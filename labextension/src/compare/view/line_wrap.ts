/**
 * A line of a program's text, wrapped to a number of columns: its marks, its breaks, its indentation. No line
 * with a mark is cut. Pure.
 */
import { visible } from "../../ui/text";
import type { TextCell } from "../model/schema";

interface Span {
  readonly text: string;
  readonly isMarked: boolean;
}

export interface Wrapped {
  /** Indentation of all lines in columns; those after the first have `HANG` more. */
  readonly indent: number;
  readonly lines: readonly (readonly Span[])[];
}

export const HANG = 2;
/** The least width, however narrow the container. */
const LEAST = 12;

/** Indentation is halved, and is at most a quarter of the columns. */
export function wrapped(cell: TextCell, columns: number): Wrapped {
  const spans = spansOf(cell).map(({ text, isMarked }) => ({ text: visible(text), isMarked }));
  const whole = spans.map(({ text }) => text).join("");
  const spaces = whole.length - whole.trimStart().length;
  const width = Math.max(LEAST, columns);
  const indent = Math.min(Math.floor(spaces / 2), Math.floor(width / 4));
  const ends = breaks(whole.slice(spaces), width - indent).map((at) => at + spaces);
  return { indent, lines: cut(spans, spaces, ends) };
}

/**
 * A line without marks. If it is too long, its middle is left out, because paths differ at their ends. In a
 * comment with a source location, the folders of the file and the end of the code are left out.
 */
export function inOneLine(cell: TextCell, columns: number): Wrapped {
  const { indent } = wrapped(cell, columns);
  const text = visible(cell.text).trim();
  const room = Math.max(LEAST, columns) - indent;
  const shown = fill(text, 0, room) === text.length ? text : shortened(text.replace(FOLDERS, "$1…/"), room);
  return { indent, lines: [[{ text: shown, isMarked: false }]] };
}

const FOLDERS = /^(# File: )\S*\//;

function shortened(text: string, room: number): string {
  if (FOLDERS.test(text)) return `${text.slice(0, fill(text, 0, room - 1))}…`;
  const points = [...text];
  let left = Math.floor((room - 1) / 2);
  let from = points.length;
  for (; from > 0; from--) {
    left -= columnsOf(points[from - 1]?.codePointAt(0) ?? 0);
    if (left < 0) break;
  }
  const head = text.slice(0, fill(text, 0, Math.ceil((room - 1) / 2)));
  return `${head}…${points.slice(from).join("")}`;
}

/** Characters of other scripts may be twice as wide. */
const columnsOf = (point: number): number => (point < 0x250 ? 1 : 2);

/** Marks count whole code points, as Python does. */
export function spansOf({ text, marks = [] }: TextCell): Span[] {
  const points = [...text];
  const found: Span[] = [];
  let at = 0;
  const put = (end: number, isMarked: boolean): void => {
    if (end > at) found.push({ text: points.slice(at, end).join(""), isMarked });
    at = Math.max(at, end);
  };
  for (const [from, to] of marks) {
    put(from, false);
    put(to, true);
  }
  put(points.length, false);
  return found;
}

/** Where a line is best broken, the best first. */
const JOINTS = [" ", "(,", "./", "_"];

/**
 * Where each line ends: after a joint in its second half, or where it is full. Spaces may exceed the width.
 */
function breaks(text: string, width: number): number[] {
  const found: number[] = [];
  let from = 0;
  while (from < text.length) {
    const room = found.length === 0 ? width : width - HANG;
    const full = pastSpaces(text, fill(text, from, room));
    if (full === text.length) break;
    const half = from + Math.ceil((full - from) / 2);
    const joint = JOINTS.map((any) => lastAfter(text, any, half, full)).find((at) => at !== undefined);
    from = pastSpaces(text, joint ?? full);
    found.push(from);
  }
  return [...found, text.length];
}

function pastSpaces(text: string, from: number): number {
  let at = from;
  while (text.charAt(at) === " ") at++;
  return at;
}

/** The end of what fits into `room` columns; at least one character. */
function fill(text: string, from: number, room: number): number {
  let columns = 0;
  let at = from;
  while (at < text.length) {
    const point = text.codePointAt(at) ?? 0;
    columns += columnsOf(point);
    if (columns > room && at > from) return at;
    at += point > 0xffff ? 2 : 1;
  }
  return at;
}

function lastAfter(text: string, any: string, least: number, most: number): number | undefined {
  for (let at = most; at > least; at--) if (any.includes(text.charAt(at - 1))) return at;
  return undefined;
}

function cut(spans: readonly Span[], start: number, ends: readonly number[]): Span[][] {
  let from = start;
  return ends.map((end) => {
    const line = within(spans, from, end);
    from = end;
    return line;
  });
}

function within(spans: readonly Span[], from: number, end: number): Span[] {
  let at = 0;
  return spans.flatMap(({ text, isMarked }) => {
    const part = text.slice(Math.max(0, from - at), Math.max(0, end - at));
    at += text.length;
    return part ? [{ text: part, isMarked }] : [];
  });
}
