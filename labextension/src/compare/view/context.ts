/** What every part of the view may use: the pair of its mount, and a hook that follows its state. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useStore } from "../../frame/context";
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
export const usePairPart = <T>(part: (state: PairState) => T): T => useStore(usePair().store, part);
