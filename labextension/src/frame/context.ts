/** What every panel may use: the explorer of its mount, and hooks that follow its state. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Explorer } from "../explorer";
import type { Detail } from "../snapshot";
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

export type Loaded = { readonly detail: Detail } | { readonly problem: string } | { readonly busy: true };

/** The detail of the Snapshot: asked for when the first panel needs it. */
export function useDetail(): Loaded {
  const { snapshot } = useExplorer();
  const [loaded, setLoaded] = useState<Loaded>(
    snapshot.detailNow ? { detail: snapshot.detailNow } : { busy: true },
  );
  useEffect(() => {
    let isHere = true;
    const say = (value: Loaded): void => {
      if (isHere) setLoaded(value);
    };
    snapshot.detail().then(
      (detail) => say({ detail }),
      (problem: unknown) => say({ problem: problem instanceof Error ? problem.message : String(problem) }),
    );
    return () => {
      isHere = false;
    };
  }, [snapshot]);
  return loaded;
}
