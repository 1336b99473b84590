/** What every part of the view uses: the columns of its mount, the current pair, their state. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useStore } from "../../frame/context";
import type { Columns } from "../columns/columns";
import type { MeasurementRuns, MeasuringState } from "../measurements/measurement_runs";
import type { Pair } from "../model/pair";
import type { PairState } from "../model/state";

interface ColumnsView {
  readonly columns: Columns;
  /** By pair. */
  readonly measured: readonly MeasurementRuns[];
  readonly isDark: boolean;
}

export const ColumnsContext = createContext<ColumnsView | undefined>(undefined);

function useColumnsView(): ColumnsView {
  const found = useContext(ColumnsContext);
  if (!found) throw new Error("A comparison component was used outside a comparison.");
  return found;
}

export const useColumns = (): Columns => useColumnsView().columns;

/** One part of the state; rerenders when it changes. */
export const usePairPart = <T>(part: (state: PairState) => T): T => useStore(useColumns().store, part);

/** The current pair; rerenders when it changes. */
export const usePair = (): Pair => useColumns().row.pair(usePairPart((state) => state.at));

/** All of it, for parts that show the pair and act on all columns. */
export const usePairView = (): ColumnsView & { readonly pair: Pair } => ({
  ...useColumnsView(),
  pair: usePair(),
});

/** The measurement runs of a pair. */
export function useMeasuringOf(at: number): MeasurementRuns {
  const found = useColumnsView().measured[at];
  if (!found) throw new Error("A pair of columns has no measurements.");
  return found;
}

/** The measurement runs of the current pair. */
export const useMeasuring = (): MeasurementRuns => useMeasuringOf(usePairPart((state) => state.at));

/** The known measurements, also while others run. */
export const useKnownOf = ({ store }: MeasurementRuns): Pick<MeasuringState, "values" | "costs"> => ({
  values: useStore(store, (state) => state.values),
  costs: useStore(store, (state) => state.costs),
});

/** One part of them; rerenders when it changes. */
export const useMeasured = <T>(part: (state: MeasuringState) => T): T => useStore(useMeasuring().store, part);
