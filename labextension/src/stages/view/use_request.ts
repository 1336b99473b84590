/** What the other end is asked once, when a form opens. */
import { useEffect, useState } from "preact/hooks";

interface Asked<T> {
  readonly value?: T;
  readonly problem?: string;
}

/** Asks when it is first drawn, and again when `key` changes; an answer that comes too late is nobody's. */
export function useRequest<T>(key: string | undefined, ask: (key: string) => Promise<T>): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({});
  useEffect(() => {
    if (key === undefined) return undefined;
    let isWanted = true;
    setAsked({});
    ask(key).then(
      (value) => isWanted && setAsked({ value }),
      (problem: unknown) => isWanted && setAsked({ problem: String((problem as Error).message ?? problem) }),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  return asked;
}
