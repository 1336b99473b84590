/** What can be done with a selected module: open it, all like it, or the run in which it stands one by one. */
import type { JSX } from "preact";
import { keyHint } from "../panels/shortcuts";
import { useExplorer, usePart } from "./context";

/** The first selected item that is a module; -1 where none is. */
const useSelectedGroup = (): number =>
  usePart((state) => state.selected.find((each) => state.picture.isGroup(each)) ?? -1);

/** What a press on its toggle does. */
const useVerb = (item: number): string => (usePart((state) => state.open).has(item) ? "close" : "open");

export function Toggle(): JSX.Element | null {
  const explorer = useExplorer();
  const item = useSelectedGroup();
  const verb = useVerb(item);
  if (item < 0) return null;
  return (
    <button
      type="button"
      title={`Open or close it (${keyHint("toggle")})`}
      onClick={() => void explorer.toggle(item)}
    >
      {verb}
    </button>
  );
}

export function ToggleAlike(): JSX.Element | null {
  const explorer = useExplorer();
  const item = useSelectedGroup();
  const verb = useVerb(item);
  if (item < 0) return null;
  return (
    <button
      type="button"
      data-tool="toggle-alike"
      title={`And all that hold the same ops or are of its class (${keyHint("toggle-alike")})`}
      onClick={() => void explorer.toggleAlike(item)}
    >
      <span class="exirviz-word">{verb} </span>all alike
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
  return (
    <button
      type="button"
      data-tool="unroll"
      aria-pressed={unrolled.has(parent === -1 ? picture.count : parent)}
      title="Show equal modules in a row one by one, or as one box"
      onClick={() => void explorer.unroll(item)}
    >
      one by one
    </button>
  );
}
