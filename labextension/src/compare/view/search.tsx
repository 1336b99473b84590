/** The search of a comparison: the explorer's search, in the graph used last. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ExplorerContext } from "../../frame/context";
import { Search } from "../../frame/search";
import { visible } from "../../ui/text";
import { useColumns, usePairPart } from "./context";

export function Find(): JSX.Element | null {
  const columns = useColumns();
  const isFinding = usePairPart((state) => state.isFinding);
  const leader = usePairPart((state) => state.leader);
  const row = useRef<HTMLDivElement>(null);
  // At once: the next key is meant for the box.
  useLayoutEffect(() => {
    if (isFinding) row.current?.querySelector("input")?.focus();
  }, [isFinding, leader]);
  if (!isFinding) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves the box, whatever in it has the focus
    <div
      class="exirviz-find"
      ref={row}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || columns.leading.state.query) return;
        event.stopPropagation();
        columns.store.set({ isFinding: false });
      }}
    >
      <ExplorerContext.Provider value={columns.leading} key={leader}>
        <Search />
      </ExplorerContext.Provider>
      <span class="exirviz-dim">in {visible(columns.row.title(leader))}</span>
      <button type="button" class="exirviz-button" onClick={() => columns.store.set({ isFinding: false })}>
        Close
      </button>
    </div>
  );
}
