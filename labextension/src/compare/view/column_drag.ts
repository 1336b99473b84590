/** Columns are reordered by dragging their headers. A mount accepts only its own columns. */
import { useState } from "preact/hooks";
import { useColumns } from "./context";

/** The drag type for the browser. */
const typeOf = (mount: string): string => `application/x-${mount}-column`;

/** For the header of a column. */
export function useDrag(column: number, mount: string) {
  const { stageColumns } = useColumns();
  if (!stageColumns) return {};
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent): void => {
      dataTransfer?.setData(typeOf(mount), String(column));
    },
  };
}

/** For a column as a drop target. */
export function useDrop(column: number, mount: string) {
  const { stageColumns } = useColumns();
  const [isOver, setOver] = useState(false);
  const takes = ({ dataTransfer }: DragEvent): boolean =>
    !!stageColumns && !!dataTransfer?.types.includes(typeOf(mount));
  return {
    isOver,
    on: {
      onDragOver: (event: DragEvent): void => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (): void => setOver(false),
      onDrop: (event: DragEvent): void => {
        setOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        stageColumns?.move(Number(event.dataTransfer?.getData(typeOf(mount))), column);
      },
    },
  };
}
