/** The view modes of a comparison: side-by-side graphs, one superimposed graph, two texts. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ViewMode } from "../model/state";
import { readabilityOf } from "../superimposed/readability";
import { useColumns, usePair, usePairPart } from "./context";

const TITLES: Readonly<Record<ViewMode, readonly [name: string, title: string]>> = {
  pictures: ["side by side", "Both graphs side by side"],
  superimposed: ["superimposed", "Both programs in one graph (O)"],
  text: ["text", "Both programs as text (T)"],
};

export function ViewModeChoice(): JSX.Element {
  const columns = useColumns();
  const { changes } = usePair();
  const viewMode = usePairPart((state) => state.viewMode);
  const fitness = useMemo(() => readabilityOf(changes), [changes]);
  return (
    <fieldset class="exirviz-joined exirviz-sights" aria-label="View">
      {(Object.keys(TITLES) as ViewMode[]).map((each) => {
        const [name, title] = TITLES[each];
        const isPoor = each === "superimposed" && fitness.is !== "fit";
        return (
          <button
            key={each}
            type="button"
            class={`exirviz-button ${each === viewMode ? "is-on" : ""} ${isPoor ? "is-poor" : ""}`}
            aria-pressed={each === viewMode}
            title={isPoor ? `${title}: hard to read, ${fitness.share}` : title}
            onClick={() => columns.see(each)}
          >
            {name}
          </button>
        );
      })}
    </fieldset>
  );
}
