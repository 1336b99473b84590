/** The context of every panel: the explorer of its mount, and hooks that follow its state. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Explorer } from "../explorer";
import type { Detail, Snapshot } from "../snapshot";
import type { State, Store } from "../store";

export const ExplorerContext = createContext<Explorer | undefined>(undefined);

export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext);
  if (!explorer) throw new Error("A panel was used outside an explorer.");
  return explorer;
}

/** One part of a store's state; rerenders when it changes. */
export function useStore<S extends object, T>(store: Store<S>, part: (state: S) => T): T {
  const [known, setKnown] = useState(() => ({ store, value: part(store.state) }));
  useEffect(() => {
    const handle = (state: S): void => {
      const value = part(state);
      setKnown((was) => (was.store === store && Object.is(was.value, value) ? was : { store, value }));
    };
    handle(store.state);
    return store.subscribe(handle);
  }, [store]);
  // A value from another store is not valid here, not even in the first render.
  return known.store === store ? known.value : part(store.state);
}

export const usePart = <T>(part: (state: State) => T): T => useStore(useExplorer().store, part);

/** The Snapshot's detail if it has been loaded; does not load it. */
export function useDetailNow(): Detail | undefined {
  const snapshot = usePart((state) => state.picture.snapshot);
  const [, setRead] = useState<Snapshot>();
  useEffect(() => snapshot.whenDetail(() => setRead(snapshot)), [snapshot]);
  return snapshot.detailNow;
}

/** False until the next frame: the graph is painted before the parts around it. */
export function useNextFrame(): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setThere(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return isThere;
}
