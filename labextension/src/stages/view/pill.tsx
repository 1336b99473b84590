/** One stage: its name and number of ops; below, what it changed and how long that took. */
import type { ComponentChildren, JSX } from "preact";
import { grouped, secondsText } from "../../snapshot";
import { visible } from "../../ui/text";
import type { StageRecord } from "../schema";
import { ariaText, changeText, dialectText, opsText, takenText } from "../stage_text";

interface PillProps {
  readonly record: StageRecord;
  readonly isHere: boolean;
  /** Its depth in a tree with one selected stage; absent if each is switched on or off. */
  readonly level?: number;
  /** Additional tooltip text: what a click does. */
  readonly hint?: string;
  /** The content below its name, in place of its step's changes. */
  readonly below?: ComponentChildren;
  /** Whether a click does nothing; `hint` says why. */
  readonly isDisabled?: boolean;
  readonly onGo: () => void;
}

export function Pill({ record, isHere, level, hint, below, isDisabled, onGo }: PillProps): JSX.Element {
  const isFailed = record.state === "failed";
  const role =
    level === undefined
      ? { "aria-pressed": isHere }
      : ({
          role: "treeitem",
          "aria-level": level,
          "aria-selected": isHere,
          tabIndex: isHere ? 0 : -1,
        } as const);
  return (
    <button
      type="button"
      {...role}
      data-stage={record.id}
      class={`exirviz-stage ${isHere ? "is-here" : ""} ${isFailed ? "is-failed" : ""}`}
      aria-disabled={isDisabled}
      aria-label={visible(ariaText(record, below === undefined))}
      title={visible(
        [
          record.name,
          dialectText(record),
          takenText(record),
          record.step.title,
          below === undefined && changeText(record),
          hint,
        ]
          .filter(Boolean)
          .join(" · "),
      )}
      onClick={() => !isDisabled && onGo()}
    >
      <span class="exirviz-stage-name">
        <b>
          {isFailed && "✕ "}
          {visible(record.name)}
        </b>
        {!isFailed && <span class="exirviz-stage-ops">{opsText(record)}</span>}
      </span>
      <span class="exirviz-stage-more">
        {record.unverified && below === undefined && <span class="exirviz-bad">unverified</span>}
        {isFailed ? visible(record.failure?.type ?? "failed") : (below ?? <Made record={record} />)}
      </span>
    </button>
  );
}

function Made({ record }: { record: StageRecord }): JSX.Element {
  const { change, step } = record;
  if (record.parent === null || !change) return <>{dialectText(record)}</>;
  const { added = 0, removed = 0 } = change;
  return (
    <>
      {added > 0 && <span class="exirviz-added">+{grouped(added)}</span>}
      {removed > 0 && <span class="exirviz-removed">−{grouped(removed)}</span>}
      {added + removed === 0 && <span>same ops</span>}
      {!!step.seconds && <span>{secondsText(step.seconds)}</span>}
    </>
  );
}
