/** Bisecting a delegate that diverges: the run, the region that was found, and its reproducer. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { selectNodes } from "../../explorer/select_nodes";
import { Link } from "../../ui/links";
import { plural, visible } from "../../ui/text";
import type { Bisected, Written } from "../measurements/measurement_runs";
import { apartText, secondsText } from "../values/number_text";
import type { BisectionRecord, TrialRow } from "../values/schema";
import { useColumns, useMeasured, useMeasuring, usePair } from "./context";
import { Problem, RunningBoth } from "./panel_parts";

interface Subject {
  readonly delegate: number;
  readonly name: string;
}

/** A row of the table of delegates, below the delegate's own. */
export function Bisection({ delegate, name }: Subject): JSX.Element | null {
  const measuring = useMeasuring();
  const bisected = useMeasured((state) => state.bisected.get(delegate));
  const running = useMeasured((state) => state.running);
  const isThis = useMeasured((state) => state.delegate === delegate);
  if (!measuring.canBisect && !bisected) return null;
  const isBisecting = isThis && running === "bisect";
  return (
    <tr class="exirviz-bisection">
      <td colSpan={3}>
        {isBisecting ? (
          <RunningBoth preparing="Preparing the delegate" />
        ) : (
          <button
            type="button"
            class="exirviz-panel-button"
            title={`Find the smallest part of ${name} that is wrong`}
            disabled={running !== undefined}
            onClick={() => void measuring.bisect(delegate)}
          >
            {bisected ? "Bisect again" : "Bisect"}
          </button>
        )}
        <Problem delegate={delegate} />
        {bisected && !isBisecting && <Found delegate={delegate} name={name} bisected={bisected} />}
      </td>
    </tr>
  );
}

function Found({ delegate, name, bisected }: Subject & { bisected: Bisected }): JSX.Element {
  const columns = useColumns();
  const pair = usePair();
  const { outcome, summary, nodes, around = [], lines = [], numbers, log = [] } = bisected.found;
  const { complete = true } = bisected.found;
  const seconds = log.reduce((sum, trial) => sum + trial.seconds, 0);
  const links = (chosen: readonly number[]): JSX.Element => (
    <Link
      title="Select them in the picture"
      onClick={() => {
        columns.lead(pair.at + 1);
        void selectNodes(columns.row.explorer(pair.at + 1), chosen);
      }}
    >
      {chosen.map((node) => visible(pair.changes.snapshots[1].name(node))).join(", ")}
    </Link>
  );
  return (
    <section aria-label={`Region of ${name}`}>
      <p>{numbers ? `${visible(summary)}: ${apartText(numbers)}` : visible(summary)}</p>
      {!complete && <p class="exirviz-dim">Stopped: a smaller region may diverge too.</p>}
      {nodes.length > 0 && <p>{links(nodes)}</p>}
      {around.length > 0 && <p class="exirviz-dim">runs only with {links(around)}</p>}
      {lines.map((line) => (
        <p key={line}>
          <code class="exirviz-wrap">{visible(line)}</code>
        </p>
      ))}
      <details>
        <summary>
          {plural(log.length, "part")} tried in {secondsText(seconds)}
        </summary>
        <ol>
          {log.map((trial, at) => (
            <li key={at}>{trialText(trial)}</li>
          ))}
        </ol>
      </details>
      {(nodes.length > 0 || outcome === "payload") && <Reproducer delegate={delegate} bisected={bisected} />}
    </section>
  );
}

/** "≠ 0.08 in 14 nodes, 0.2 s". */
function trialText({ nodes, numbers, reason = "", seconds }: TrialRow): string {
  const outcome = numbers ? `${numbers.diverged ? "≠" : "="} ${apartText(numbers)}` : `not run (${reason})`;
  return visible(`${outcome} in ${plural(nodes, "node")}, ${secondsText(seconds)}`);
}

/** The fields for the folder and for what is kept of the program, and the files that were written. */
function Reproducer({
  delegate,
  bisected: { found, written },
}: {
  delegate: number;
  bisected: Bisected;
}): JSX.Element {
  const measuring = useMeasuring();
  const running = useMeasured((state) => state.running);
  const isWriting = useMeasured((state) => state.running === "reproducer" && state.delegate === delegate);
  const [path, setPath] = useState("reproducer");
  const isPayload = found.outcome === "payload"; // its file contains the weights
  const [isChosen, setChosen] = useState(false);
  const isReal = isPayload || isChosen;
  const [hasNames, setNames] = useState(false);
  return (
    <>
      <form
        class="exirviz-measure"
        onSubmit={(event) => {
          event.preventDefault();
          const replace = written?.options.path === path;
          const weights = isReal ? "real" : "random";
          void measuring.reproduce(delegate, { path, replace, weights, names: hasNames });
        }}
      >
        <label title="The folder to write to, where the kernel runs">
          folder{" "}
          <input
            type="text"
            class="exirviz-input"
            value={path}
            onInput={({ currentTarget }) => setPath(currentTarget.value)}
          />
        </label>
        <label
          title={
            isPayload
              ? "The delegate is written too, and it contains your weights"
              : "Write your weights and inputs instead of random numbers in their ranges"
          }
        >
          <input
            type="checkbox"
            checked={isReal}
            disabled={isPayload}
            onChange={({ currentTarget }) => setChosen(currentTarget.checked)}
          />{" "}
          real weights
        </label>
        <label title="Keep the names of your modules and your lines">
          <input
            type="checkbox"
            checked={hasNames}
            onChange={({ currentTarget }) => setNames(currentTarget.checked)}
          />{" "}
          names
        </label>
        <button type="submit" class="exirviz-panel-button" disabled={running !== undefined}>
          Write reproducer
        </button>
      </form>
      {isWriting && <RunningBoth preparing="Writing and running it" />}
      {written && (
        <p role="status">
          Wrote <code class="exirviz-wrap">{visible(written.script)}</code>.{" "}
          {showsText(found.outcome, written)}
        </p>
      )}
    </>
  );
}

/** What the written files show: "It shows the difference with random numbers." */
function showsText(outcome: BisectionRecord["outcome"], { shows, options }: Written): string {
  const what = outcome === "fails" ? "failure" : "difference";
  const isReal = options.weights === "real";
  const numbers = isReal ? "your weights" : "random numbers";
  if (shows) return `It shows the ${what} with ${numbers}.`;
  return `With ${numbers} it shows no ${what}${isReal ? "." : "; choose real weights."}`;
}
