/** The form that starts profiling. */
import { useState } from "preact/hooks";
import { Section } from "../../ui/section";
import { visible } from "../../ui/text";
import type { Measure, Measuring, ProfileAccess } from "../profile_access";
import type { Conditions } from "../schema";

type Last = Pick<Conditions, "executor" | "threads">;

const EXECUTORS: readonly Measuring["executor"][] = ["cpu", "executorch"];
const RUNTIME_DIALECTS = ["edge", "backend", "executorch"];

/** `last`: the options of the profile that is shown, if there is one; they are the initial values. */
export function MeasureForm({
  measure,
  last,
}: {
  measure: ProfileAccess["measure"];
  last?: Last | undefined;
}) {
  if (typeof measure === "string") {
    return last ? null : (
      <Section title="Measure">
        <p class="exirviz-dim">{visible(measure)}</p>
      </Section>
    );
  }
  return (
    <Section title={last ? "Measure again" : "Measure"}>
      <Options measure={measure} last={last} />
    </Section>
  );
}

function Options({ measure, last }: { measure: Measure; last: Last | undefined }) {
  const [executor, setExecutor] = useState(EXECUTORS.find((each) => each === last?.executor) ?? "cpu");
  const [threads, setThreads] = useState(last?.threads || 1);
  const [repeats, setRepeats] = useState(0);
  const hasRuntime = RUNTIME_DIALECTS.includes(measure.dialect);
  const by = hasRuntime ? executor : "cpu";
  return (
    <form
      class="exirviz-measure"
      onSubmit={(event) => {
        event.preventDefault();
        // Progress, and then the result, are at the top.
        event.currentTarget.closest(".exirviz-tab-panel")?.scrollTo(0, 0);
        void measure.start({ executor: by, threads, ...(repeats > 0 && { repeats }) });
      }}
    >
      {hasRuntime && (
        <label>
          Executor{" "}
          <select
            value={by}
            onChange={({ currentTarget }) => setExecutor(currentTarget.value as Measuring["executor"])}
          >
            <option value="cpu">eager torch, node by node</option>
            <option value="executorch">ExecuTorch runtime, whole program</option>
          </select>
        </label>
      )}
      <label>
        Threads{" "}
        <input
          type="number"
          class="exirviz-input"
          min={1}
          max={256}
          value={threads}
          onInput={({ currentTarget }) =>
            setThreads(Math.max(1, Math.round(currentTarget.valueAsNumber) || 1))
          }
        />
      </label>
      <label title="Empty: 5 to 50 runs, about 3 s">
        Runs{" "}
        <input
          type="number"
          class="exirviz-input"
          min={1}
          max={10000}
          placeholder="auto"
          value={repeats || ""}
          onInput={({ currentTarget }) =>
            setRepeats(Math.max(0, Math.round(currentTarget.valueAsNumber) || 0))
          }
        />
      </label>
      <button type="submit" class="exirviz-panel-button exirviz-measure-go">
        Profile
      </button>
    </form>
  );
}
