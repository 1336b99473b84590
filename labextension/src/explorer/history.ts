/** Navigation history: a step is recorded before each selection, so that back restores the previous view. */
import type { ViewState } from "../store";
import type { Explorer } from "./explorer";

/** Older steps are dropped. */
const LONGEST = 100;

export class History {
  private back: ViewState[] = [];
  private forward: ViewState[] = [];
  private isMoving = false;

  constructor(private readonly explorer: Explorer) {}

  remember(): void {
    if (this.isMoving) return;
    const here = this.explorer.view();
    const last = this.back[this.back.length - 1];
    if (last && sameStep(last, here)) return;
    this.back = [...this.back, here].slice(-LONGEST);
    this.forward = [];
    this.updateButtons();
  }

  goBack(): Promise<void> {
    return this.move(this.back, this.forward);
  }

  goForward(): Promise<void> {
    return this.move(this.forward, this.back);
  }

  private async move(from: ViewState[], to: ViewState[]): Promise<void> {
    const step = from.pop();
    if (!step) return;
    to.push(this.explorer.view());
    this.isMoving = true;
    try {
      await this.explorer.show(step);
    } finally {
      this.isMoving = false;
      this.updateButtons();
    }
  }

  private updateButtons(): void {
    this.explorer.store.set({ canGoBack: this.back.length > 0, canGoForward: this.forward.length > 0 });
  }
}

const sameStep = (a: ViewState, b: ViewState): boolean =>
  a.stage === b.stage &&
  a.graph === b.graph &&
  a.selected.join() === b.selected.join() &&
  a.open.join() === b.open.join();
