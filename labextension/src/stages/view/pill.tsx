/** One stage: its name and number of ops; the tooltip has what it changed and how long that took. */
import type { JSX } from "preact";
import { secondsText } from "../../snapshot";
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
  /** Whether a click does nothing; `hint` says why. */
  readonly isDisabled?: boolean;
  readonly onGo: () => void;
}

export function Pill({ record, isHere, level, hint, isDisabled, onGo }: PillProps): JSX.Element {
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
      aria-label={visible(ariaText(record, level !== undefined))}
      title={visible(
        [
          record.name,
          dialectText(record),
          takenText(record),
          record.step.title,
          level !== undefined && changeText(record),
          level !== undefined && record.step.seconds && secondsText(record.step.seconds),
          hint,
        ]
          .filter(Boolean)
          .join(" · "),
      )}
      onClick={() => !isDisabled && onGo()}
    >
      <b>
        {isFailed && "✕ "}
        {visible(record.name)}
      </b>
      <span class="exirviz-stage-ops">{isFailed ? "" : opsText(record)}</span>
      {record.unverified && <span class="exirviz-bad">unverified</span>}
    </button>
  );
}
