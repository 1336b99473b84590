/**
 * The tree of stages as a strip: a stage is in the column of its depth; its first child in the same row, each
 * further branch in a row below; and which stages can be compared. Pure.
 */
import type { StageRecord, StageTree } from "./schema";

interface Cell {
  readonly record: StageRecord;
  /** From 0. */
  readonly row: number;
  readonly depth: number;
  /** The row of its parent, where the branch begins. */
  readonly from: number;
}

export function cellsOf(tree: StageTree): Cell[] {
  const children = new Map<string | null, StageRecord[]>();
  for (const record of tree.stages) {
    children.set(record.parent, [...(children.get(record.parent) ?? []), record]);
  }
  const cells: Cell[] = [];
  let rows = 0;
  const place = (record: StageRecord, row: number, depth: number, from: number): void => {
    cells.push({ record, row, depth, from });
    rows = Math.max(rows, row + 1);
    for (const [i, child] of (children.get(record.id) ?? []).entries()) {
      place(child, i === 0 ? row : rows, depth + 1, row);
    }
  };
  for (const root of children.get(null) ?? []) place(root, rows, 0, rows);
  return cells;
}

/** The number of rows of the strip. */
export const rowsOf = (tree: StageTree): number => 1 + Math.max(...cellsOf(tree).map(({ row }) => row));

/** The ancestors of a stage, itself, and its first descendants, in order, without failed ones. */
export function lineThrough(tree: StageTree, at: string): string[] {
  const line = tree.stages.filter(({ id }) => id === at);
  for (;;) {
    const parent = tree.stages.find(({ id }) => id === line[0]?.parent);
    if (!parent) break;
    line.unshift(parent);
  }
  for (;;) {
    const last = line[line.length - 1];
    const child = tree.stages.find(({ parent, state }) => parent === last?.id && state !== "failed");
    if (!last || !child) break;
    line.push(child);
  }
  return line.filter(({ state }) => state !== "failed").map(({ id }) => id);
}

export type Move = "parent" | "child" | "above" | "below" | "first" | "last";

/** The stage that a move leads to; undefined if there is none. */
export function moved(tree: StageTree, at: string, move: Move): string | undefined {
  const cells = cellsOf(tree);
  const here = cells.find(({ record }) => record.id === at);
  if (!here) return undefined;
  const found = {
    parent: () => cells.find(({ record }) => record.id === here.record.parent),
    child: () => cells.find(({ record }) => record.parent === at),
    above: () => nearest(cells, here, -1),
    below: () => nearest(cells, here, 1),
    first: () => cells[0],
    last: () => cells[cells.length - 1],
  }[move]();
  return found?.record.id;
}

/** In the next row in that direction, the stage with the nearest depth. */
function nearest(cells: readonly Cell[], here: Cell, by: 1 | -1): Cell | undefined {
  const away = (cell: Cell): number => Math.abs(cell.depth - here.depth);
  return cells
    .filter(({ row }) => row === here.row + by)
    .reduce<Cell | undefined>((best, cell) => (best && away(best) <= away(cell) ? best : cell), undefined);
}

/** A failed stage has no program and no children. */
export const comparable = ({ stages }: StageTree): StageTree => ({
  stages: stages.filter(({ state }) => state !== "failed"),
});

/** A stage with its parent, else with its first child; undefined if it is the only one. */
export function comparedFirst(tree: StageTree, id: string): readonly [string, string] | undefined {
  const { stages } = comparable(tree);
  const record = stages.find((each) => each.id === id);
  const parent = stages.find((each) => each.id === record?.parent);
  if (parent) return [parent.id, id];
  const child = stages.find((each) => each.parent === id);
  return child && [id, child.id];
}
