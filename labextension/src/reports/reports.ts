/**
 * The reports of a program: which there are, and each of them once somebody asks for it. What a kernel or a file sends
 * is checked here, and nodes get their numbers.
 */
import { NONE, type ReportSource, type Snapshot } from "../snapshot";
import { isObject, wrongField } from "../snapshot/fields";
import { RECORDS, type Report } from "./schema";

/** With the numbers of nodes in place of their ids; NONE for one that the program does not have. */
type Numbered<T> = T extends readonly (infer E)[]
  ? readonly Numbered<E>[]
  : T extends object
    ? { readonly [K in keyof T]: K extends "nodes" ? Numbers<T[K]> : Numbered<T[K]> }
    : T;
type Numbers<T> = T extends string ? number : T extends readonly (infer E)[] ? readonly Numbers<E>[] : T;

export type ShownReport = Numbered<Report>;
export type ShownSection = NonNullable<ShownReport["sections"]>[number];
export type ShownRow = ShownSection["rows"][number];
export type ShownFact = NonNullable<ShownReport["facts"]>[number];

/** A report that there is, and the question that it answers. */
export interface ListedReport {
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

export type ReportState =
  | { readonly state: "waiting" }
  | { readonly state: "busy" }
  | { readonly state: "ready"; readonly report: ShownReport }
  | { readonly state: "failed"; readonly problem: string };

const WAITING: ReportState = { state: "waiting" };

export class Reports {
  private listed: readonly ListedReport[] | undefined;
  private readonly states = new Map<string, ReportState>();
  private readonly listeners = new Set<() => void>();
  private isLoadingAll = false;
  /** Whether a report is made only when somebody opens it. */
  readonly isSlow: boolean;
  /** Why there is no list. */
  problem = "";

  constructor(
    private readonly snapshot: Snapshot,
    private readonly source: ReportSource,
  ) {
    this.isSlow = snapshot.skeleton.page?.is_large ?? false;
  }

  /** Undefined until it is loaded. */
  get list(): readonly ListedReport[] | undefined {
    return this.listed;
  }

  of(name: string): ReportState {
    return this.states.get(name) ?? WAITING;
  }

  /** Those that are here; another list when another is. */
  loaded: readonly ShownReport[] = [];

  /** How many found what is at least a warning, of those that are here. */
  get alarms(): number {
    return this.loaded.filter(({ outcome }) => outcome === "error" || outcome === "warning").length;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Again where it was read before: a user may have registered another. */
  async loadList(): Promise<void> {
    try {
      this.listed = (await this.source.list()).flatMap((each) => asListed(each) ?? []);
      this.problem = "";
    } catch (problem) {
      this.problem = textOf(problem);
    }
    this.changed();
  }

  /** Once; what failed is tried again. */
  async load(name: string): Promise<void> {
    const { state } = this.of(name);
    if (state === "busy" || state === "ready") return;
    this.set(name, { state: "busy" });
    try {
      const report = asReport(await this.source.report(name));
      this.set(name, { state: "ready", report: numbered(report, this.snapshot) });
    } catch (problem) {
      this.set(name, { state: "failed", problem: textOf(problem) });
    }
  }

  /** One after the other, each when the page is idle, until `isWanted` says no; none if they are slow. */
  async loadAll(isWanted: () => boolean): Promise<void> {
    if (this.isLoadingAll || this.isSlow) return;
    this.isLoadingAll = true;
    try {
      for (const { name } of this.listed ?? []) {
        await idle();
        if (!isWanted()) return;
        if (this.of(name).state === "waiting") await this.load(name);
      }
    } finally {
      this.isLoadingAll = false;
    }
  }

  /** The list, and the report that marks nodes in the picture: once the page is idle, unless they are slow. */
  async loadMarks(name: string): Promise<void> {
    if (this.isSlow) return;
    await idle();
    if (!this.listed) await this.loadList();
    if (this.listed?.some((each) => each.name === name)) await this.load(name);
  }

  private set(name: string, state: ReportState): void {
    this.states.set(name, state);
    if (state.state === "ready") this.loaded = [...this.loaded, state.report];
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

const known = new WeakMap<Snapshot, Reports>();

/** The same for every view of a Snapshot; undefined if no source has any. */
export function reportsOf(snapshot: Snapshot): Reports | undefined {
  const found = known.get(snapshot);
  if (found || !snapshot.reports) return found;
  const made = new Reports(snapshot, snapshot.reports);
  known.set(snapshot, made);
  return made;
}

const idle = (): Promise<void> =>
  new Promise((done) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => done(), { timeout: 1_000 });
    else setTimeout(done);
  });

const textOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));

function asListed(raw: unknown): ListedReport | undefined {
  if (!isObject(raw)) return undefined;
  const { name, title = name, about = "" } = raw;
  if (typeof name !== "string" || typeof title !== "string" || typeof about !== "string") return undefined;
  return { name, title, about };
}

/** `unknown` → Report. Exported for tests. */
export function asReport(raw: unknown): Report {
  const field = isObject(raw) ? wrongField(raw, RECORDS.Report, RECORDS) : "";
  if (field === undefined) return raw as Report;
  throw new Error(field ? `Its field ${field.replace("?", "")} is invalid.` : "It was not sent.");
}

/** Each id is looked up once. */
function numbered(report: Report, snapshot: Snapshot): ShownReport {
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    const found = numbers.get(id) ?? snapshot.find(id) ?? NONE;
    numbers.set(id, found);
    return found;
  };
  const walk = (value: unknown, areIds: boolean): unknown => {
    if (typeof value === "string") return areIds ? numberOf(value) : value;
    if (Array.isArray(value)) return value.map((each) => walk(each, areIds));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, key === "nodes")]));
  };
  return walk(report, false) as ShownReport;
}

/** The nodes that the program has, each once. */
export const present = (nodes: readonly number[] = []): readonly number[] => [
  ...new Set(nodes.filter((node) => node !== NONE)),
];
