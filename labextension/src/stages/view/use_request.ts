/** A request that a form makes once, when it opens. */
import { useEffect, useState } from "preact/hooks";

interface Asked<T> {
  readonly value?: T;
  readonly problem?: string;
}

/** Sends the request when first rendered and when `key` changes; ignores answers that come too late. */
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
