/** The pills of a tree, each in the column of its depth, joined by arrows. */
import type { ComponentChildren, JSX } from "preact";
import type { StageRecord, StageTree } from "../schema";
import { cellsOf } from "../shape";

export function Grid(props: {
  readonly tree: StageTree;
  readonly pill: (record: StageRecord, level: number) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      {cellsOf(props.tree).map(({ record, row, depth, from }) => {
        const column = 2 * depth + 1;
        return [
          record.parent !== null && (
            <span
              key={`to ${record.id}`}
              class={from === row ? "exirviz-next" : "exirviz-branch"}
              style={{ gridColumn: column - 1, gridRow: `${from + 1} / ${row + 2}` }}
              aria-hidden="true"
            />
          ),
          <span
            key={record.id}
            class="exirviz-stage-cell"
            style={{ gridColumn: column, gridRow: row + 1 }}
            role="none"
          >
            {props.pill(record, depth + 1)}
          </span>,
        ];
      })}
    </>
  );
}
