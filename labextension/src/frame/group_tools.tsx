/** Tools for a selected module: open it, open all similar ones, or ungroup its run. */
import type { JSX } from "preact";
import { keyHint } from "../ui/shortcuts";
import { useExplorer, usePart } from "./context";

/** The first selected item that is a module; -1 if there is none. */
const useSelectedGroup = (): number =>
  usePart((state) => state.selected.find((each) => state.picture.isGroup(each)) ?? -1);

export const Toggle = (): JSX.Element | null => <ToggleButton />;

export const ToggleSimilar = (): JSX.Element | null => <ToggleButton isSimilar />;

/** Opens or closes the selected module, or all similar ones. */
function ToggleButton({ isSimilar = false }: { isSimilar?: boolean }): JSX.Element | null {
  const explorer = useExplorer();
  const item = useSelectedGroup();
  const verb = usePart((state) => state.open).has(item) ? "Close" : "Open";
  if (item < 0) return null;
  const which = isSimilar ? "every module with the same ops or class" : "this module";
  return (
    <button
      type="button"
      data-tool={isSimilar ? "toggle-similar" : undefined}
      title={`${verb} ${which} (${keyHint(isSimilar ? "toggle-similar" : "toggle")})`}
      onClick={() => void (isSimilar ? explorer.toggleSimilar(item) : explorer.toggle(item))}
    >
      {isSimilar ? `${verb} similar` : verb}
    </button>
  );
}

export function Unroll(): JSX.Element | null {
  const explorer = useExplorer();
  const picture = usePart((state) => state.picture);
  const unrolled = usePart((state) => state.unrolled);
  const item = useSelectedGroup();
  if (item < 0 || picture.equalsOf(item) <= 1) return null;
  const parent = picture.parentOf(item);
  const isUnrolled = unrolled.has(parent === -1 ? picture.count : parent);
  return (
    <button
      type="button"
      data-tool="unroll"
      title={isUnrolled ? "Show identical modules as one box" : "Show identical modules one by one"}
      onClick={() => void explorer.unroll(item)}
    >
      {isUnrolled ? "Group" : "Ungroup"}
    </button>
  );
}
