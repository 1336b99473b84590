/** What is the same in all columns, hidden in small boxes or shown; what one column unfolds the others unfold. */
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

  /** Folds what is the same into small boxes, or shows all again. */
  async hide(isSameHidden: boolean): Promise<void> {
    this.stretches.forget();
    this.cameras.touched();
    this.store.set({ isSameHidden });
    await this.cameras.arrangeAgain(this.row.columns);
    if (this.store.state.nodes.some((nodes) => nodes.length > 0)) this.cameras.frame();
    else this.cameras.fit("readable");
  }

  /** Other columns, or other pictures in them: what is the same in all is another matter. */
  renew(): Promise<void> {
    return this.cameras.arrangeAgain(this.row.columns);
  }

  /** A column shows what is in a stretch: the others do the same. */
  private release(column: number, stretch: Stretch): void {
    this.stretches.release(column, stretch);
    const others = this.row.columns.filter((other) => other !== column);
    void this.cameras.arrangeAgain(others).then(() => this.cameras.align(column));
  }
}
