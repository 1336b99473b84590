/** Tools for a selected module: open it, open all similar ones, or ungroup its run. */
import type { JSX } from "preact";
import { keyHint } from "../ui/shortcuts";
import { useExplorer, usePart } from "./context";

/** The first selected item that is a module; -1 if there is none. */
const useSelectedGroup = (): number =>
  usePart((state) => state.selected.find((each) => state.picture.isGroup(each)) ?? -1);

/** What a click on its toggle does. */
const useVerb = (item: number): string => (usePart((state) => state.open).has(item) ? "Close" : "Open");

export function Toggle(): JSX.Element | null {
  const explorer = useExplorer();
  const item = useSelectedGroup();
  const verb = useVerb(item);
  if (item < 0) return null;
  return (
    <button
      type="button"
      title={`${verb} this module (${keyHint("toggle")})`}
      onClick={() => void explorer.toggle(item)}
    >
      {verb}
    </button>
  );
}

export function ToggleSimilar(): JSX.Element | null {
  const explorer = useExplorer();
  const item = useSelectedGroup();
  const verb = useVerb(item);
  if (item < 0) return null;
  return (
    <button
      type="button"
      data-tool="toggle-similar"
      title={`${verb} every module with the same ops or class (${keyHint("toggle-similar")})`}
      onClick={() => void explorer.toggleSimilar(item)}
    >
      {verb} similar
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
