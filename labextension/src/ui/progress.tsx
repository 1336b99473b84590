/** A running measurement that the user started: its progress, and a button to stop it. */
import type { JSX } from "preact";
import { visible } from "./text";

interface RunningProps {
  readonly progress: { readonly text: string; readonly fraction?: number | undefined } | undefined;
  /** The text before the first progress message. */
  readonly before: string;
  readonly onStop?: (() => void) | undefined;
}

export function Running({ progress, before, onStop }: RunningProps): JSX.Element {
  const part = progress?.fraction;
  return (
    <div class="exirviz-running" role="status">
      <span class="exirviz-running-text">{visible(progress?.text || before)}</span>
      {onStop && (
        <button type="button" class="exirviz-panel-button" onClick={onStop}>
          Stop
        </button>
      )}
      <span class={`exirviz-progress ${part === undefined ? "is-open" : ""}`} aria-hidden="true">
        <span style={part === undefined ? undefined : { width: `${100 * part}%` }} />
      </span>
    </div>
  );
}
