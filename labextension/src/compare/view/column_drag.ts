/** Columns dragged by their heads: where one is dropped it goes. A mount takes no columns but its own. */
import { useState } from "preact/hooks";
import { useColumns } from "./context";

/** What the browser is told that is dragged. */
const typeOf = (mount: string): string => `application/x-${mount}-column`;

/** For the head of a column. */
export function useDrag(column: number, mount: string) {
  const { lineup } = useColumns();
  if (!lineup) return {};
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent): void => {
      dataTransfer?.setData(typeOf(mount), String(column));
    },
  };
}

/** For a column, which another may be dropped on. */
export function useDrop(column: number, mount: string) {
  const { lineup } = useColumns();
  const [isOver, setOver] = useState(false);
  const takes = ({ dataTransfer }: DragEvent): boolean =>
    !!lineup && !!dataTransfer?.types.includes(typeOf(mount));
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
        lineup?.move(Number(event.dataTransfer?.getData(typeOf(mount))), column);
      },
    },
  };
}
