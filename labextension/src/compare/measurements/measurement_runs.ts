/**
 * Measurements of two compared programs: values and costs if they exist, and how to start a run if a kernel
 * can. No DOM.
 */
import type { Progress } from "../../stages/source";
import { Store } from "../../store";
import { CostDiff } from "../costs/cost_diff";
import type { Changes } from "../model/changes";
import { asMeasured, asValues } from "../model/narrow";
import { ValueDiff } from "../values/value_diff";

interface Tolerances {
  readonly rtol?: number;
  readonly atol?: number;
}

/** The holder of the two programs or of their measurements. Its results are not validated yet. */
export interface MeasuredSource {
  known(): Promise<unknown>;
  /** Runs both on the same inputs and compares their values; a text with the reason if that is impossible. */
  readonly values: ((tolerances: Tolerances) => Promise<unknown>) | string;
  /** Profiles both; absent if that is impossible. */
  readonly profile?: () => Promise<void>;
  /** Stops the current run. */
  stop?(): void;
  /** Reports the progress of a run; undefined when it has ended. Returns a function that unsubscribes. */
  subscribe?(listener: (progress: Progress | undefined) => void): () => void;
}

export interface MeasuringState {
  readonly values: ValueDiff | undefined;
  readonly costs: CostDiff | undefined;
  /** The run that was started here. */
  readonly running: "values" | "costs" | undefined;
  readonly progress: Progress | undefined;
  /** Why the last run failed; empty if it did not. */
  readonly problem: string;
}

const NOTHING: MeasuringState = {
  values: undefined,
  costs: undefined,
  running: undefined,
  progress: undefined,
  problem: "",
};

export class MeasurementRuns {
  readonly store = new Store<MeasuringState>(NOTHING);
  private readonly off: () => void;

  constructor(
    private readonly changes: Changes,
    private readonly source: MeasuredSource,
  ) {
    this.off =
      source.subscribe?.((progress) => {
        if (this.store.state.running) this.store.set({ progress });
      }) ?? (() => undefined);
    void this.attempt(() => this.read());
  }

  dispose(): void {
    this.off();
  }

  /** Why values cannot be compared here; empty if they can. */
  get whyNoValues(): string {
    return typeof this.source.values === "string" ? this.source.values : "";
  }

  get canProfile(): boolean {
    return this.source.profile !== undefined;
  }

  async compareValues(tolerances: Tolerances): Promise<void> {
    const { values } = this.source;
    if (typeof values === "string") return;
    await this.run("values", async () => {
      const record = asValues(await values(tolerances), this.changes);
      this.store.set({ values: new ValueDiff(record) });
    });
  }

  async profile(): Promise<void> {
    const { profile } = this.source;
    if (!profile) return;
    await this.run("costs", async () => {
      await profile();
      await this.read();
    });
  }

  stop(): void {
    this.source.stop?.();
  }

  private async read(): Promise<void> {
    const { values, costs } = asMeasured(await this.source.known(), this.changes);
    this.store.set({
      ...(values && { values: new ValueDiff(values) }),
      ...(costs && { costs: new CostDiff(costs) }),
    });
  }

  private async run(running: "values" | "costs", work: () => Promise<void>): Promise<void> {
    if (this.store.state.running) return;
    this.store.set({ running, progress: undefined, problem: "" });
    await this.attempt(work);
    this.store.set({ running: undefined, progress: undefined });
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (problem) {
      this.store.set({ problem: problem instanceof Error ? problem.message : String(problem) });
    }
  }
}
