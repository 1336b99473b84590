/** What every part of the view may use: the pair of its mount, and a hook that follows its state. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Pair } from "../pair";
import type { PairState } from "../state";

export interface PairView {
  readonly pair: Pair;
  readonly isDark: boolean;
}

export const PairContext = createContext<PairView | undefined>(undefined);

export function usePairView(): PairView {
  const found = useContext(PairContext);
  if (!found) throw new Error("A part of a comparison stands outside of one.");
  return found;
}

export const usePair = (): Pair => usePairView().pair;

/** One part of the state; drawn again when it changes. */
export function usePairPart<T>(part: (state: PairState) => T): T {
  const { store } = usePair();
  const [value, setValue] = useState(() => part(store.state));
  useEffect(() => {
    setValue(() => part(store.state));
    return store.subscribe((state) => setValue(() => part(state)));
  }, [store]);
  return value;
}
