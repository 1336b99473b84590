/** What every panel may use: the explorer of its mount, and hooks that follow its state. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Explorer } from "../explorer";
import type { Detail, Snapshot } from "../snapshot";
import type { Sight, State } from "../store";

export const ExplorerContext = createContext<Explorer | undefined>(undefined);

export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext);
  if (!explorer) throw new Error("A panel stands outside of an explorer.");
  return explorer;
}

/** One part of the state; the panel is drawn again when it changes. */
export function usePart<T>(part: (state: State) => T): T {
  const { store } = useExplorer();
  const [value, setValue] = useState(() => part(store.state));
  useEffect(() => {
    setValue(() => part(store.state));
    return store.subscribe((state) => setValue(() => part(state)));
  }, [store]);
  return value;
}

export function useSight<T>(part: (sight: Sight) => T): T {
  const { sight } = useExplorer();
  const [value, setValue] = useState(() => part(sight.state));
  useEffect(() => {
    setValue(() => part(sight.state));
    return sight.subscribe((state) => setValue(() => part(state)));
  }, [sight]);
  return value;
}

/** The detail of the Snapshot once someone has asked for it and it is here; asks for nothing itself. */
export function useDetailNow(): Detail | undefined {
  const snapshot = usePart((state) => state.picture.snapshot);
  const [, setRead] = useState<Snapshot>();
  useEffect(() => snapshot.whenDetail(() => setRead(snapshot)), [snapshot]);
  return snapshot.detailNow;
}
