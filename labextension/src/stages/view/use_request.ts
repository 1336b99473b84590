/** A request that a form makes once, when it opens. */
import { useEffect, useState } from "preact/hooks";

interface Answer<T> {
  readonly value?: T;
  readonly problem?: string;
}

/** Sends the request when first rendered and when `key` changes; ignores answers that come too late. */
export function useRequest<T>(key: string | undefined, ask: (key: string) => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  useEffect(() => {
    if (key === undefined) return undefined;
    let isWanted = true;
    setAnswer({});
    ask(key).then(
      (value) => isWanted && setAnswer({ value }),
      (problem: unknown) => isWanted && setAnswer({ problem: String((problem as Error).message ?? problem) }),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  return answer;
}
