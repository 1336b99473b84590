/** The choice of what colours boxes, and the legend. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { HEAT_PARTS } from "../../overlay";
import { amountText } from "../../snapshot";
import { type Ends, endsOf, hasColor } from "../costs/cost_diff";
import { paintAs, paintsOf, RANGE } from "../measurements";
import type { PairPaint } from "../model/state";
import { secondsText } from "../values/number_text";
import { MARK, MEASUREMENT_LOOKS } from "./change_colors";
import { useColumns, useKnownOf, useMeasured, useMeasuring, usePairPart, usePairView } from "./context";

/** Nothing if only changes are known. */
export function PaintChoice(): JSX.Element | null {
  const columns = useColumns();
  const paint = usePaint();
  const there = paintsOf(useKnownOf(useMeasuring()));
  if (there.length === 1) return null;
  return (
    <label class="exirviz-button exirviz-color" title="Color boxes by (K)">
      Color:
      <select
        aria-label="Color"
        value={paint}
        onChange={({ currentTarget }) => {
          const chosen = there.find((each) => each === currentTarget.value);
          if (chosen) columns.store.set({ paint: chosen });
        }}
      >
        {there.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What colours the boxes of the current pair. Without measurements: changes. */
export function usePaint(): PairPaint {
  const paint = usePairPart((state) => state.paint);
  return paintAs(paint, useKnownOf(useMeasuring()));
}

export function PaintLegend({ paint }: { paint: Exclude<PairPaint, "changes"> }): JSX.Element {
  return paint === "costs" ? <CostLegend /> : <ValueLegend />;
}

function ValueLegend(): JSX.Element {
  const { apart } = MEASUREMENT_LOOKS;
  return (
    <>
      <span class="exirviz-scale">
        relative difference {amountText(RANGE.least)}
        <Ramp
          stops={[
            [apart.color, 0],
            [apart.color, 1],
          ]}
        />
        {amountText(RANGE.most)}, log
      </span>
      <MarkLegend />
      <span class="exirviz-dim">no color: equal or not compared; modules show their largest difference</span>
    </>
  );
}

/** The marks on boxes after a comparison of values, under any colour mode. */
export function MarkLegend(): JSX.Element | null {
  const values = useMeasured((state) => state.values);
  if (!values) return null;
  return (
    <>
      <span>
        <b class="exirviz-disc is-apart">{MEASUREMENT_LOOKS.apart.sign}</b> beyond the tolerance
      </span>
      {values.first && (
        <span>
          <b class="exirviz-first" style={{ borderColor: MARK }} /> first to diverge
        </span>
      )}
    </>
  );
}

/** The ends of the cost scales in all columns. */
export function useEnds(): Ends {
  const { measured } = usePairView();
  const now = (): Ends => endsOf(measured.map(({ store }) => store.state.costs));
  const { op, module } = now();
  const [, setEnds] = useState({ op, module });
  useEffect(() => {
    const update = (): void => {
      const ends = now();
      setEnds((was) => (was.op === ends.op && was.module === ends.module ? was : ends));
    };
    const offs = measured.map(({ store }) => store.subscribe(update));
    update();
    return () => {
      for (const off of offs) off();
    };
  }, [measured]);
  return useMemo(() => ({ op, module }), [op, module]);
}

function CostLegend(): JSX.Element {
  const { faster, slower } = MEASUREMENT_LOOKS;
  const ends = useEnds();
  const isMany = useColumns().row.explorers.length > 2;
  if (!hasColor(ends)) return <span class="exirviz-dim">no cost change exceeds noise</span>;
  const [op, module] = [secondsText(ends.op), secondsText(ends.module)];
  const isOne = ends.op === ends.module;
  return (
    <>
      <span class="exirviz-scale">
        {faster.sign} faster
        <Ramp
          stops={[
            [faster.color, 1],
            [faster.color, 0],
            [slower.color, 0],
            [slower.color, 1],
          ]}
        />
        {slower.sign} slower by up to {!isOne && ends.op > 0 && `${op} an op, `}
        {isOne ? op : `${module} a module`}, by square root
      </span>
      <span class="exirviz-dim">
        {isMany && "same scale for all columns; "}changes within noise have no color
      </span>
    </>
  );
}

/** As on boxes: the colour over their background. */
function Ramp({ stops }: { stops: readonly (readonly [string, number])[] }): JSX.Element {
  const [least, most] = HEAT_PARTS;
  const colors = stops.map(
    ([color, part]) =>
      `color-mix(in srgb, ${color} ${100 * (least + part * (most - least))}%, var(--exirviz-ground))`,
  );
  return (
    <span
      class="exirviz-scale-ramp"
      style={{ background: `linear-gradient(to right, ${colors.join(", ")})` }}
    />
  );
}
