/** The measurement of both programs that runs, and why the last one failed. */
import type { JSX } from "preact";
import { visible } from "../../ui/text";
import { useMeasured, useMeasuring } from "./context";

export function RunningBoth({ preparing = "Preparing both programs" }: { preparing?: string }): JSX.Element {
  const measuring = useMeasuring();
  const progress = useMeasured((state) => state.progress);
  const part = progress?.fraction;
  return (
    <div class="exirviz-running" role="status">
      <span class="exirviz-running-text">{visible(progress?.text || preparing)}</span>
      <button type="button" class="exirviz-panel-button" onClick={() => measuring.stop()}>
        Stop
      </button>
      <span class={`exirviz-progress ${part === undefined ? "is-open" : ""}`} aria-hidden="true">
        <span style={part === undefined ? undefined : { width: `${100 * part}%` }} />
      </span>
    </div>
  );
}

/** `delegate`: the one that the run was about; undefined for a run of both programs. */
export function Problem({ delegate }: { delegate?: number | undefined }): JSX.Element | null {
  const problem = useMeasured((state) => (state.problemOf === delegate ? state.problem : ""));
  return problem ? (
    <p class="exirviz-bad exirviz-measure-problem" role="alert">
      {visible(problem)}
    </p>
  ) : null;
}
