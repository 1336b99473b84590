/** What a comparison keeps from the previous one when its columns change. */
import type { Explorer } from "../../explorer";
import type { Row } from "../model/row";
import type { PairState } from "../model/state";
import type { Columns } from "./columns";

/** The state to keep, without that of removed columns. The current pair is the newest column's. */
export function keptState(before: Columns, row: Row): Partial<PairState> {
  const was = new Set(before.explorers);
  const newest = row.explorers.findIndex((explorer) => !was.has(explorer));
  const stays = row.explorers.indexOf(before.leading);
  const leader = stays < 0 ? row.explorers.length - 1 : stays;
  const current = newest < 0 ? leader : newest;
  return {
    ...before.state,
    at: Math.max(0, current - 1),
    match: -1,
    nodes: [],
    groups: [],
    hovered: undefined,
    leader,
    isBusy: false,
    problem: "",
  };
}

/** Opens in a new column what the nearest kept column has open. */
export function openLike(row: Row, before: ReadonlySet<Explorer>): void {
  const isOld = (column: number): boolean => before.has(row.explorer(column));
  for (const column of row.columns.filter((each) => !isOld(each))) {
    const [model] = row.columns.filter(isOld).sort((x, y) => Math.abs(x - column) - Math.abs(y - column));
    if (model === undefined) continue;
    const explorer = row.explorer(column);
    const open = new Set(row.counterparts(model, [...row.explorer(model).state.open])[column]);
    explorer.store.set({ open, scene: explorer.sceneOf(open) });
  }
}
