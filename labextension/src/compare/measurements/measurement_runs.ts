/**
 * Measurements of two compared programs: values and costs if they exist, and how to start a run if a kernel
 * can. No DOM.
 */
import type { Progress, Reproduce, Reproducer, ReproducerOptions } from "../../stages/source";
import { Store } from "../../store";
import { CostDiff } from "../costs/cost_diff";
import type { Changes } from "../model/changes";
import { asBisection, asMeasured, asValues } from "../model/narrow";
import type { BisectionRecord } from "../values/schema";
import { ValueDiff } from "../values/value_diff";

/** The options of a comparison: its tolerances, and what runs the second program. */
interface ValueOptions {
  readonly rtol?: number;
  readonly atol?: number;
  readonly executor?: "cpu" | "executorch";
}

/** The holder of the two programs or of their measurements. Its results are not validated yet. */
export interface MeasuredSource {
  known(): Promise<unknown>;
  /** Runs both on the same inputs and compares their values; a text with the reason if that is impossible. */
  readonly values: ((options: ValueOptions) => Promise<unknown>) | string;
  /** Finds the smallest region of a delegate that diverges; absent if that is impossible. */
  readonly bisect?: (node: string) => Promise<unknown>;
  /** Writes that region as a program of its own. */
  readonly reproduce?: (what: Reproduce) => Promise<Reproducer>;
  /** Profiles both; absent if that is impossible. */
  readonly profile?: () => Promise<void>;
  /** Stops the current run. */
  stop?(): void;
  /** Reports the progress of a run; undefined when it has ended. Returns a function that unsubscribes. */
  subscribe?(listener: (progress: Progress | undefined) => void): () => void;
}

/** What bisecting a delegate found, and the files that were written. */
export interface Bisected {
  readonly found: BisectionRecord;
  readonly written?: Written;
}

/** The files of a reproducer, and the options that they were written with. */
export interface Written extends Reproducer {
  readonly options: ReproducerOptions;
}

type Run = "values" | "costs" | "bisect" | "reproducer";

export interface MeasuringState {
  readonly values: ValueDiff | undefined;
  readonly costs: CostDiff | undefined;
  /** By the number of a delegate's call. */
  readonly bisected: ReadonlyMap<number, Bisected>;
  /** The run that was started here. */
  readonly running: Run | undefined;
  /** The delegate that it is about. */
  readonly delegate: number | undefined;
  readonly progress: Progress | undefined;
  /** Why the last run failed; empty if it did not. */
  readonly problem: string;
  /** The delegate that it was about. */
  readonly problemOf: number | undefined;
}

const NOTHING: MeasuringState = {
  values: undefined,
  costs: undefined,
  bisected: new Map(),
  running: undefined,
  delegate: undefined,
  progress: undefined,
  problem: "",
  problemOf: undefined,
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

  get canBisect(): boolean {
    return this.source.bisect !== undefined;
  }

  get canProfile(): boolean {
    return this.source.profile !== undefined;
  }

  async compareValues(options: ValueOptions): Promise<void> {
    const { values } = this.source;
    if (typeof values === "string") return;
    await this.run("values", async () => {
      const record = asValues(await values(options), this.changes);
      this.store.set({ values: new ValueDiff(record), bisected: new Map() });
    });
  }

  /** Finds the smallest region of a delegate of the second program that diverges. */
  async bisect(delegate: number): Promise<void> {
    const { bisect } = this.source;
    if (!bisect) return;
    await this.run(
      "bisect",
      async () => {
        const found = asBisection(await bisect(this.nameOf(delegate)), this.changes);
        this.put(delegate, { found });
      },
      delegate,
    );
  }

  /** Writes the region of a bisected delegate to a folder. */
  async reproduce(delegate: number, options: ReproducerOptions): Promise<void> {
    const { reproduce } = this.source;
    const known = this.store.state.bisected.get(delegate);
    if (!reproduce || !known) return;
    await this.run(
      "reproducer",
      async () => {
        const files = await reproduce({ node: this.nameOf(delegate), ...options });
        this.put(delegate, { ...known, written: { ...files, options } });
      },
      delegate,
    );
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

  private nameOf(delegate: number): string {
    return this.changes.snapshots[1].id(delegate);
  }

  private put(delegate: number, one: Bisected): void {
    this.store.set({ bisected: new Map(this.store.state.bisected).set(delegate, one) });
  }

  private async run(running: Run, work: () => Promise<void>, delegate?: number): Promise<void> {
    if (this.store.state.running) return;
    this.store.set({ running, delegate, progress: undefined, problem: "", problemOf: delegate });
    await this.attempt(work);
    this.store.set({ running: undefined, delegate: undefined, progress: undefined });
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (problem) {
      this.store.set({ problem: problem instanceof Error ? problem.message : String(problem) });
    }
  }
}
