/** What a comparison is looked at as: pictures side by side, one picture of both, two texts. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { PairSight } from "../model/state";
import { fitnessOf } from "../superimposed/readability";
import { useColumns, usePair, usePairPart } from "./context";

const TITLES: Readonly<Record<PairSight, readonly [name: string, title: string]>> = {
  pictures: ["side by side", "The pictures side by side"],
  overlay: ["overlay", "One picture of both (O)"],
  text: ["text", "The two texts (T)"],
};

export function Sights(): JSX.Element {
  const columns = useColumns();
  const { changes } = usePair();
  const sight = usePairPart((state) => state.sight);
  const fitness = useMemo(() => fitnessOf(changes), [changes]);
  return (
    <fieldset class="exirviz-joined exirviz-sights" aria-label="What is seen">
      {(Object.keys(TITLES) as PairSight[]).map((each) => {
        const [name, title] = TITLES[each];
        const isPoor = each === "overlay" && fitness.is !== "fit";
        return (
          <button
            key={each}
            type="button"
            class={`exirviz-button ${each === sight ? "is-on" : ""} ${isPoor ? "is-poor" : ""}`}
            aria-pressed={each === sight}
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
