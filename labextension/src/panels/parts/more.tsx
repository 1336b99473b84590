/** A list of which the first few are shown, and the rest on request. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped } from "../../snapshot";

/** What one press adds at most, so that a thousand users do not stall the page. */
const STEP = 200;

export function More<T>({
  items,
  first,
  of,
  each,
  besides = () => undefined,
}: {
  items: readonly T[];
  first: number;
  /** What several are called, with an s: "users". */
  of: string;
  each: (item: T, index: number) => ComponentChildren;
  /** What an item is called that is none of them, though it stands among them. */
  besides?: (item: T) => string | undefined;
}) {
  const [shown, show] = useState(first);
  const rest = items.length - shown;
  const isCounted = (item: T): boolean => besides(item) === undefined;
  const hidden = items.slice(shown);
  const counted = hidden.filter(isCounted).length;
  const others = hidden.flatMap((item) => besides(item) ?? []);
  const count =
    rest > STEP ? `${STEP} more of ${grouped(items.filter(isCounted).length)}` : `${counted} more`;
  const words = [...(counted ? [`${count} ${counted === 1 ? of.replace(/s$/, "") : of}`] : []), ...others];
  return (
    <>
      {items.slice(0, shown).map(each)}
      {rest > 0 && (
        <button type="button" class="ev-more" onClick={() => show(shown + STEP)}>
          {words.join(" and ")}
        </button>
      )}
      {shown > first && (
        <button type="button" class="ev-more" onClick={() => show(first)}>
          fewer
        </button>
      )}
    </>
  );
}
