/** Asking for a measurement, and one that runs: how far it is, and the way to stop it. */
import { useState } from "preact/hooks";
import { Section } from "../../panels/parts/section";
import { visible } from "../../panels/parts/text";
import type { Progress } from "../../stages/source";
import type { CostSight, Measure, Measuring } from "../sight";

const RUNTIME_DIALECTS = ["edge", "backend", "executorch"];

export function MeasureForm({ measure, isAgain }: { measure: CostSight["measure"]; isAgain: boolean }) {
  if (typeof measure === "string") {
    return isAgain ? null : (
      <Section title="Measure">
        <p class="ev-dim">{visible(measure)}</p>
      </Section>
    );
  }
  return (
    <Section title={isAgain ? "Measure again" : "Measure"}>
      <Options measure={measure} />
    </Section>
  );
}

function Options({ measure }: { measure: Measure }) {
  const [executor, setExecutor] = useState<Measuring["executor"]>("cpu");
  const [threads, setThreads] = useState(1);
  const [repeats, setRepeats] = useState(0);
  const hasRuntime = RUNTIME_DIALECTS.includes(measure.dialect);
  const by = hasRuntime ? executor : "cpu";
  return (
    <form
      class="ev-measure"
      onSubmit={(event) => {
        event.preventDefault();
        void measure.start({ executor: by, threads, ...(repeats > 0 && { repeats }) });
      }}
    >
      {hasRuntime && (
        <label>
          by{" "}
          <select
            value={by}
            onChange={({ currentTarget }) => setExecutor(currentTarget.value as Measuring["executor"])}
          >
            <option value="cpu">eager torch, node by node</option>
            <option value="executorch">the runtime, as a whole</option>
            <option value="executorch.ops">the runtime, op by op (slow)</option>
          </select>
        </label>
      )}
      <label>
        threads{" "}
        <input
          type="number"
          class="ev-input"
          min={1}
          max={256}
          value={threads}
          onInput={({ currentTarget }) =>
            setThreads(Math.max(1, Math.round(currentTarget.valueAsNumber) || 1))
          }
        />
      </label>
      <label title="Left empty: 5 to 50, about three seconds">
        runs{" "}
        <input
          type="number"
          class="ev-input"
          min={1}
          max={10000}
          placeholder="auto"
          value={repeats || ""}
          onInput={({ currentTarget }) =>
            setRepeats(Math.max(0, Math.round(currentTarget.valueAsNumber) || 0))
          }
        />
      </label>
      <button type="submit" class="ev-button ev-measure-go">
        Profile
      </button>
    </form>
  );
}

export function Running({ progress, measure }: { progress: Progress; measure: CostSight["measure"] }) {
  const part = progress.fraction;
  return (
    <div class="ev-running" role="status">
      <span class="ev-running-text">{visible(progress.text || "Preparing the program")}</span>
      {typeof measure !== "string" && (
        <button type="button" class="ev-button" title="Keeps what was measured" onClick={measure.stop}>
          Stop
        </button>
      )}
      <span class={`exirviz-progress ${part === undefined ? "is-open" : ""}`} aria-hidden="true">
        <span style={part === undefined ? undefined : { width: `${100 * part}%` }} />
      </span>
    </div>
  );
}
