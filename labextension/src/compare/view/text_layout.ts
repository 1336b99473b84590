/** The layout of two texts: side by side, or stacked in a narrow container. Pure. */
import type { TextCell, TextRow } from "../model/schema";
import { inOneLine, type Wrapped, wrapped } from "./line_wrap";

/** The height of a line of text, in pixels. */
export const LINE = 20;
/** The width in pixels of numbers, signs and scroll bar beside two cells, or beside stacked cells. */
const OTHER_COLUMNS = { wide: 160, stacked: 128 };
/** Cells with fewer columns are stacked. */
const NARROW = 36;

/** How the container is filled: the columns of a cell. */
export interface Fit {
  readonly columns: number;
  readonly isStacked: boolean;
}

export function fitOf(width: number, character: number): Fit {
  const columns = Math.floor((width - OTHER_COLUMNS.wide) / 2 / character);
  if (columns >= NARROW) return { columns, isStacked: false };
  return { columns: Math.floor((width - OTHER_COLUMNS.stacked) / character), isStacked: true };
}

export interface SetCell extends Wrapped {
  /** The line numbers on either side; both if one cell shows two equal lines. */
  readonly numbers: readonly (number | undefined)[];
  /** The full text, if it may be cut. */
  readonly title: string;
}

export interface SetRow {
  readonly row: TextRow;
  readonly cells: readonly [SetCell | undefined, SetCell | undefined];
  readonly isStacked: boolean;
  /** In pixels. */
  readonly height: number;
}

/** `isWhole`: all of its lines. An unchanged row has one line, cut in its middle, until it is selected. */
export function setRow(row: TextRow, { columns, isStacked }: Fit, isWhole = !isUnchanged(row)): SetRow {
  const set = (cell: TextCell, numbers: SetCell["numbers"]): SetCell => ({
    ...(isWhole ? wrapped(cell, columns) : inOneLine(cell, columns)),
    numbers,
    title: isWhole ? "" : cell.text.trim(),
  });
  const { a, b } = row;
  const isOnce = isStacked && a?.text.trim() === b?.text.trim();
  const before = a && !isOnce ? set(a, isStacked ? [a.line, undefined] : [a.line]) : undefined;
  const after = b && set(b, isStacked ? [isOnce ? a?.line : undefined, b.line] : [b.line]);
  const [x, y] = [before?.lines.length ?? 0, after?.lines.length ?? 0];
  const lines = isStacked ? x + y : Math.max(x, y);
  return { row, cells: [before, after], isStacked, height: Math.max(1, lines) * LINE };
}

function isUnchanged({ kind, a, b }: TextRow): boolean {
  const isMarked = [a, b].some((cell) => cell?.marks?.length);
  return (kind === "same" || kind === "note") && !isMarked;
}
