/**
 * What is kept when columns change: the controller and canvas of each program, and the measurements of each
 * pair. Entries without a column are released.
 */
import { canvasMeasure } from "../canvas/text";
import type { Theme } from "../canvas/theme";
import { CanvasView } from "../canvas/view";
import type { Changes } from "../compare";
import { type MeasuredSource, MeasurementRuns } from "../compare/measurements/measurement_runs";
import { type Compared, type Found, idOf } from "../compare/model/compared_programs";
import { Explorer, Marker } from "../explorer";
import type { Snapshot } from "../snapshot";
import { calmOf } from "./host_page";

const NO_SCREEN = { width: 1, height: 1 } as const;
const UNMEASURED: MeasuredSource = {
  known: async () => ({}),
  values: "No values or costs recorded for this pair.",
};

export class ColumnCache {
  /** By program. */
  private readonly explorers = new Map<string, Explorer>();
  private readonly canvases = new Map<Explorer, CanvasView>();
  private readonly measurings = new Map<Found, MeasurementRuns>();

  /** `onMeasured`: called when values or costs arrive. */
  constructor(
    private readonly document: Document,
    private readonly onMeasured: () => void,
  ) {}

  explorer(compared: Compared, column: number, theme: Theme): Explorer {
    const id = idOf(compared, column);
    const measure = canvasMeasure(theme, this.document);
    const found =
      this.explorers.get(id) ?? new Explorer(compared.snapshots[column] as Snapshot, measure, NO_SCREEN);
    this.explorers.set(id, found);
    return found;
  }

  /** Created after the first scene is known, so that no motion to it is visible. */
  canvas(explorer: Explorer, theme: Theme): CanvasView {
    const found = this.canvases.get(explorer) ?? newCanvas(explorer, theme, this.document);
    this.canvases.set(explorer, found);
    return found;
  }

  measuring(found: Found, changes: Changes): MeasurementRuns {
    const known = this.measurings.get(found) ?? new MeasurementRuns(changes, found.measured ?? UNMEASURED);
    if (!this.measurings.has(found)) {
      known.store.subscribe((state, was) => {
        if (state.values !== was.values || state.costs !== was.costs) this.onMeasured();
      });
    }
    this.measurings.set(found, known);
    return known;
  }

  /** Releases everything that these do not need. */
  leaveOnly(compared: Compared): void {
    for (const [found, measuring] of this.measurings) {
      if (compared.between.includes(found)) continue;
      measuring.dispose();
      this.measurings.delete(found);
    }
    const ids = new Set(compared.snapshots.map((_, column) => idOf(compared, column)));
    for (const [id, explorer] of this.explorers) {
      if (ids.has(id)) continue;
      this.canvases.get(explorer)?.dispose();
      this.canvases.delete(explorer);
      explorer.dispose();
      this.explorers.delete(id);
    }
  }
}

const newCanvas = (explorer: Explorer, theme: Theme, document: Document): CanvasView =>
  new CanvasView(explorer, new Marker(), canvasMeasure(theme, document), theme, document, calmOf(document));
