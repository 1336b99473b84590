/** A module's time at one stage: the time, its basis, and the ratio to the first stage. */

import { ratioText, timeText } from "../../snapshot";
import { visible } from "../../ui/text";
import { BASIS_TEXT, basisText } from "../profile_text";
import type { Cell } from "../stage_comparison";

interface StageCellProps {
  readonly cell: Cell | undefined;
  /** By mixed module: the number of its note below the table. */
  readonly notes: readonly string[];
}

export function StageCell({ cell, notes }: StageCellProps) {
  // The overhead is negative if parts take longer alone.
  if (!cell || (cell.time ?? 0) < 0) return <span class="exirviz-dim">–</span>;
  const { time, ratio, isApart, bases, mixed } = cell;
  const trend = !isApart || ratio === undefined ? "" : ratio > 1 ? "is-more" : "is-less";
  const basis = time === undefined ? "" : basisText(bases);
  return (
    <>
      {timeText(time)}
      {mixed && (
        <abbr class="exirviz-cell-sign" title={visible(mixed)} aria-label={visible(mixed)}>
          {notes.indexOf(mixed) + 1}
        </abbr>
      )}
      {ratio !== undefined && (
        <span class={`exirviz-ratio ${trend}`} title={isApart ? undefined : "Within noise"}>
          {ratioText(ratio)}
        </span>
      )}
      {basis && (
        <span
          class="exirviz-cell-note"
          title={bases
            .filter((each) => each !== "measured")
            .map((each) => BASIS_TEXT[each])
            .join("; ")}
        >
          {basis}
        </span>
      )}
    </>
  );
}
