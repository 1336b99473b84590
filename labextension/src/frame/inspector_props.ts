/** The props of panels in an explorer: the program, the selection, the actions. */
import { useMemo } from "preact/hooks";
import { useDetail } from "../panels/detail";
import { useExplorer, usePart } from "./context";
import { actionsOf, selectionOf } from "./selection";

export function useInspected() {
  const explorer = useExplorer();
  const detail = useDetail(explorer.snapshot);
  const actions = useMemo(() => actionsOf(explorer), [explorer]);
  const picture = usePart((state) => state.picture);
  const selected = usePart((state) => state.selected);
  const edge = usePart((state) => state.edge);
  const scene = usePart((state) => state.scene);
  const selection = useMemo(
    () => selectionOf({ picture, selected, edge, scene }),
    [picture, selected, edge, edge && scene],
  );
  return { snapshot: explorer.snapshot, detail, actions, selection };
}
