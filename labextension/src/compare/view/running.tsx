/** The measurement of both programs that runs, and why the last one failed. */
import type { JSX } from "preact";
import { Running } from "../../ui/progress";
import { visible } from "../../ui/text";
import { useMeasured, useMeasuring } from "./context";

export function RunningBoth(): JSX.Element {
  const measuring = useMeasuring();
  const progress = useMeasured((state) => state.progress);
  return <Running progress={progress} before="Preparing both programs" onStop={() => measuring.stop()} />;
}

export function Problem(): JSX.Element | null {
  const problem = useMeasured((state) => state.problem);
  return problem ? (
    <p class="exirviz-bad exirviz-measure-problem" role="alert">
      {visible(problem)}
    </p>
  ) : null;
}
