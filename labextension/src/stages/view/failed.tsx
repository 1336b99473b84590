/** A failed step: the error, its place in the program, and what to do next. */
import type { JSX } from "preact";
import { visible, visibleLines } from "../../ui/text";
import type { OptionsFix, StageRecord } from "../schema";
import { Dock } from "./dock";
import { Findings, type NodeLinks } from "./findings";

interface FailedProps extends NodeLinks {
  readonly record: StageRecord;
  /** Its parent; findings name nodes of it. */
  readonly parent: StageRecord | undefined;
  /** Why no step can be run here; empty if steps can be run. */
  readonly reason: string;
  readonly onFix: (fix: OptionsFix) => void;
  readonly onBack: () => void;
}

export function Failed(props: FailedProps): JSX.Element {
  const { record, parent, reason, onFix, onBack } = props;
  const {
    type = "",
    reason: why = "No reason given.",
    message = "",
    findings = [],
    fixes = [],
  } = record.failure ?? {};
  // A step that skips checks is never offered first.
  const sorted = [...fixes].sort((a, b) => Number(a.skips_checks ?? false) - Number(b.skips_checks ?? false));
  return (
    <Dock
      isAlert
      label={`${visible(record.name)} failed`}
      title={
        <>
          <span class="exirviz-bad">✕ {visible(record.step.title || record.name)} failed</span>
          {type && <span class="exirviz-dock-aside">{visible(type)}</span>}
        </>
      }
    >
      <p class="exirviz-dock-text">{visible(why)}</p>
      <Findings {...props} findings={findings} />
      <div class="exirviz-dock-row">
        {sorted.map((fix) => (
          <button
            type="button"
            key={fix.title}
            class={`exirviz-button ${fix.skips_checks ? "" : "is-first"}`}
            disabled={reason !== ""}
            title={reason || "Run the step again with this fix"}
            onClick={() => onFix(fix)}
          >
            {visible(fix.title)}
          </button>
        ))}
        <button type="button" class="exirviz-button" onClick={onBack}>
          Back to {visible(parent?.name ?? "the program")}
        </button>
        <span class="exirviz-dim">
          The graph below shows {visible(parent?.name ?? "the program")}, unchanged.
          {reason && fixes.length > 0 && ` ${reason}`}
        </span>
      </div>
      {message && message !== why && (
        <details class="exirviz-message">
          <summary>Full error</summary>
          <pre>{visibleLines(message)}</pre>
        </details>
      )}
    </Dock>
  );
}
