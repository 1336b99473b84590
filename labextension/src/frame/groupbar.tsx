/** What can be done with a selected module: open it, all like it, or the run in which it stands one by one. */
import type { JSX } from "preact";
import { keyHint } from "../panels/shortcuts";
import { useExplorer, usePart } from "./context";

export function GroupButtons(): JSX.Element | null {
  const explorer = useExplorer();
  const picture = usePart((state) => state.picture);
  const open = usePart((state) => state.open);
  const unrolled = usePart((state) => state.unrolled);
  const item = usePart((state) => state.selected.find((each) => state.picture.isGroup(each)) ?? -1);
  if (item < 0) return null;
  const verb = open.has(item) ? "close" : "open";
  const parent = picture.parentOf(item);
  const isUnrolled = unrolled.has(parent === -1 ? picture.count : parent);
  return (
    <>
      <button
        type="button"
        title={`Open or close it (${keyHint("toggle")})`}
        onClick={() => void explorer.toggle(item)}
      >
        {verb}
      </button>
      <button
        type="button"
        title={`And all that hold the same ops or are of its class (${keyHint("toggle-alike")})`}
        onClick={() => void explorer.toggleAlike(item)}
      >
        <span class="exirviz-word">{verb} </span>all alike
      </button>
      {picture.equalsOf(item) > 1 && (
        <button
          type="button"
          aria-pressed={isUnrolled}
          title="Show equal modules in a row one by one, or as one box"
          onClick={() => void explorer.unroll(item)}
        >
          one by one
        </button>
      )}
    </>
  );
}
