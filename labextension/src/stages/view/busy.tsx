/** A running step or measurement: its stage, what it does, its time so far, and a button to stop it. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { percent } from "../../snapshot";
import { visible } from "../../ui/text";
import { isMeasuring, type Progress } from "../source";

interface BusyProps {
  readonly progress: Progress;
  /** The name of the stage that it starts from. */
  readonly of?: string | undefined;
  readonly onStop?: () => void;
}

export function Busy({ progress, of, onStop }: BusyProps): JSX.Element {
  const { fraction } = progress;
  const [isStopping, setStopping] = useState(false); // until the step has ended, and this bar with it
  const isMeasurement = isMeasuring(progress);
  const title = of ? `${progress.title} ${isMeasurement ? "of" : "from"} ${of}` : progress.title;
  const text = progress.text || "Preparing the program";
  const seconds = useSeconds(progress);
  const part = fraction === undefined ? undefined : percent(fraction, 1);
  return (
    <section class="exirviz-dock exirviz-busy-step" role="status" aria-label={visible(`${title}: ${text}`)}>
      <span
        class={`exirviz-progress ${part === undefined ? "is-open" : ""}`}
        role="progressbar"
        aria-label={visible(title)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={part}
      >
        <span style={part === undefined ? undefined : { width: `${part}%` }} />
      </span>
      <b>{visible(title)}</b>
      <span class="exirviz-busy-text">{visible(text)}</span>
      <span class="exirviz-dim">{Math.floor(seconds)} s</span>
      {onStop && (
        <button
          type="button"
          class="exirviz-button"
          title={isMeasurement ? "Stop and keep what was measured" : "Stop; nothing is kept"}
          disabled={isStopping}
          onClick={() => {
            setStopping(true);
            onStop();
          }}
        >
          {isStopping ? "Stopping…" : "Stop"}
        </button>
      )}
    </section>
  );
}

/** Counts on between progress messages. */
function useSeconds(progress: Progress): number {
  const [more, setMore] = useState(0);
  useEffect(() => {
    const start = performance.now();
    setMore(0);
    const timer = setInterval(() => setMore((performance.now() - start) / 1000), 1000);
    return () => clearInterval(timer);
  }, [progress]);
  return progress.seconds + more;
}
