/** A list with the first few items, and the rest on request. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped } from "../snapshot";

/** The most that one click adds, so that a thousand users do not block the page. */
const STEP = 200;

export function More<T>({
  items,
  first,
  of,
  each,
  otherName,
}: {
  items: readonly T[];
  first: number;
  /** The plural of the items: "users", "kinds of op". */
  of: string;
  each: (item: T, index: number) => ComponentChildren;
  /** The name of items that do not count, if there are any. */
  otherName?: (item: T) => string | undefined;
}) {
  const [shown, show] = useState(first);
  const rest = items.length - shown;
  const othersIn = (some: readonly T[]): string[] =>
    otherName ? some.flatMap((item) => otherName(item) ?? []) : [];
  const next = items.slice(shown, shown + STEP);
  const others = othersIn(next);
  const counted = next.length - others.length;
  const all = rest > STEP ? ` of ${grouped(items.length - othersIn(items).length)}` : "";
  const one = counted === 1 && !all;
  const words = [
    ...(counted ? [`${counted} more${all} ${one ? of.replace(/s\b/, "") : of}`] : []),
    ...others,
  ];
  return (
    <>
      {items.slice(0, shown).map(each)}
      {rest > 0 && (
        <button type="button" class="exirviz-show-more" onClick={() => show(shown + STEP)}>
          {words.join(" and ")}
        </button>
      )}
      {shown > first && (
        <button type="button" class="exirviz-show-more" onClick={() => show(first)}>
          Fewer
        </button>
      )}
    </>
  );
}
