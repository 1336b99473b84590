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
}: {
  items: readonly T[];
  first: number;
  /** What several are called, with an s: "users". */
  of: string;
  each: (item: T, index: number) => ComponentChildren;
}) {
  const [shown, show] = useState(first);
  const rest = items.length - shown;
  return (
    <>
      {items.slice(0, shown).map(each)}
      {rest > 0 && (
        <button type="button" class="ev-more" onClick={() => show(shown + STEP)}>
          {rest > STEP ? `${STEP} more of ${grouped(items.length)}` : `${rest} more`}{" "}
          {rest === 1 ? of.replace(/s$/, "") : of}
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
