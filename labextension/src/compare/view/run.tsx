/** A measurement of both programs that runs because it was asked for: how far it is, and the way to stop it. */
import type { JSX } from "preact";
import { visible } from "../../panels/parts/text";
import type { MeasuringState } from "../measuring";
import { useMeasured, useMeasuring } from "./context";

export function Running({ what }: { what: NonNullable<MeasuringState["running"]> }): JSX.Element | null {
  const measuring = useMeasuring();
  const running = useMeasured((state) => state.running);
  const progress = useMeasured((state) => state.progress);
  if (running !== what) return null;
  const part = progress?.fraction;
  return (
    <div class="ev-running" role="status">
      <span class="ev-running-text">{visible(progress?.text || "Preparing both programs")}</span>
      <button type="button" class="ev-button" onClick={() => measuring.stop()}>
        Stop
      </button>
      <span class={`exirviz-progress ${part === undefined ? "is-open" : ""}`} aria-hidden="true">
        <span style={part === undefined ? undefined : { width: `${100 * part}%` }} />
      </span>
    </div>
  );
}

export function Problem(): JSX.Element | null {
  const problem = useMeasured((state) => state.problem);
  return problem ? (
    <p class="ev-bad exirviz-measure-problem" role="alert">
      {visible(problem)}
    </p>
  ) : null;
}
