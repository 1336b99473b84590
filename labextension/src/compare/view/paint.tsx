/** What boxes are coloured by, to be chosen, and what the colours mean. */
import type { JSX } from "preact";
import { HEAT_PARTS } from "../../overlay";
import { APART, FASTER, RANGE, SLOWER } from "../gauge";
import type { PairPaint } from "../state";
import { useColumns, useMeasured, usePairPart } from "./context";

const TITLES: Readonly<Record<PairPaint, string>> = { changes: "changes", values: "values", costs: "costs" };

/** Absent where nothing but changes is known. */
export function PaintChoice(): JSX.Element | null {
  const columns = useColumns();
  const paint = usePaint();
  const hasValues = useMeasured((state) => state.values !== undefined);
  const hasCosts = useMeasured((state) => state.costs !== undefined);
  if (!hasValues && !hasCosts) return null;
  const there: PairPaint[] = ["changes", ...(hasValues ? ["values" as const] : [])];
  if (hasCosts) there.push("costs");
  return (
    <span class="exirviz-paint">
      colour by{" "}
      <fieldset class="ev-switch" aria-label="Colour boxes by">
        {there.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === paint}
            onClick={() => columns.store.set({ paint: each })}
          >
            {TITLES[each]}
          </button>
        ))}
      </fieldset>
    </span>
  );
}

/** What the boxes of the pair that is told of are coloured by: what was not measured is no colour. */
export function usePaint(): PairPaint {
  const paint = usePairPart((state) => state.paint);
  const hasValues = useMeasured((state) => state.values !== undefined);
  const hasCosts = useMeasured((state) => state.costs !== undefined);
  if (paint === "values") return hasValues ? paint : "changes";
  return paint === "costs" && hasCosts ? paint : "changes";
}

export function PaintLegend({ paint }: { paint: Exclude<PairPaint, "changes"> }): JSX.Element {
  if (paint === "values") {
    return (
      <span class="exirviz-scale">
        relative difference {RANGE.least.toExponential(0)}
        <span
          class="exirviz-scale-ramp"
          style={{
            background: ramp([
              [APART, 0],
              [APART, 1],
            ]),
          }}
        />{" "}
        {RANGE.most}
        <span class="exirviz-dim"> equal values have no colour; a closed module has that of its worst</span>
      </span>
    );
  }
  return (
    <span class="exirviz-scale">
      faster
      <span
        class="exirviz-scale-ramp"
        style={{
          background: ramp([
            [FASTER, 1],
            [FASTER, 0],
            [SLOWER, 0],
            [SLOWER, 1],
          ]),
        }}
      />
      slower
      <span class="exirviz-dim"> by the seconds that a change gained or cost</span>
    </span>
  );
}

/** As boxes have them: the colour laid on their ground. */
function ramp(stops: readonly (readonly [string, number])[]): string {
  const [least, most] = HEAT_PARTS;
  const colors = stops.map(
    ([color, part]) =>
      `color-mix(in srgb, ${color} ${100 * (least + part * (most - least))}%, var(--ev-ground))`,
  );
  return `linear-gradient(to right, ${colors.join(", ")})`;
}
