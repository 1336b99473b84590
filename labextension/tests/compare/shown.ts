/** Two programs in columns, as first shown. Each test disposes what it had shown. */
import { afterEach } from "vitest";
import type { CanvasView } from "../../src/canvas/view";
import { Columns, Row } from "../../src/compare";
import { answerKeys } from "../../src/compare/columns/commands";
import { Explorer } from "../../src/explorer";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";

const shown = new Set<Columns>();

afterEach(() => {
  for (const columns of shown) columns.dispose();
  shown.clear();
});

export function columnsOf(screen = { width: 500, height: 700 }, changes = changesOf()): Columns {
  const explorers = changes.snapshots.map((snapshot) => new Explorer(snapshot, sevenWide, screen));
  const columns = new Columns(new Row(explorers, [changes]));
  shown.add(columns);
  return columns;
}

/** A key press on a picture. Needs a DOM. */
export function press(columns: Columns, key: string, shiftKey = false): void {
  const page = () => ({
    explorer: columns.leading,
    view: { canvas: document.createElement("canvas") } as CanvasView,
  });
  answerKeys({ columns, measured: [], page, onClose: undefined }, {
    key,
    shiftKey,
    target: document.createElement("canvas"),
    preventDefault: () => {},
    stopPropagation: () => {},
  } as unknown as KeyboardEvent);
}
