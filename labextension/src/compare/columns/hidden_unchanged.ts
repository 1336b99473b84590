/**
 * Hides runs of boxes that are unchanged in all columns, or shows them. What one column shows again, all do.
 */
import { NO_STRETCHES, type Stretch } from "../../picture";
import type { Store } from "../../store";
import type { Cameras } from "../camera/cameras";
import type { Row } from "../model/row";
import type { PairState } from "../model/state";
import { UnchangedRuns } from "./unchanged_runs";

export class HiddenUnchanged {
  private readonly stretches: UnchangedRuns;

  constructor(
    private readonly row: Row,
    private readonly store: Store<PairState>,
    private readonly cameras: Cameras,
  ) {
    this.stretches = new UnchangedRuns(row);
    row.explorers.forEach((explorer, column) => {
      explorer.stretching = {
        of: (picture, open) =>
          store.state.isSameHidden && picture === explorer.picture
            ? this.stretches.of(column, open)
            : NO_STRETCHES,
        release: (stretch) => this.release(column, stretch),
      };
    });
  }

  /** Hides unchanged boxes in short runs, or shows all. */
  async hide(isSameHidden: boolean): Promise<void> {
    this.stretches.forget();
    this.cameras.touched();
    this.store.set({ isSameHidden });
    await this.cameras.arrangeAgain(this.row.columns);
    if (this.store.state.nodes.some((nodes) => nodes.length > 0)) this.cameras.frame();
    else this.cameras.fit("readable");
  }

  /** Computes the runs again after columns or their pictures changed. */
  renew(): Promise<void> {
    return this.cameras.arrangeAgain(this.row.columns);
  }

  /** One column shows the content of a run: the others do too. */
  private release(column: number, stretch: Stretch): void {
    this.stretches.release(column, stretch);
    const others = this.row.columns.filter((other) => other !== column);
    void this.cameras.arrangeAgain(others).then(() => this.cameras.align(column));
  }
}
