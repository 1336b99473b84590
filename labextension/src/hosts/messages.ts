/**
 * What a page and its kernel say to each other. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

/** The program for the picture; for a session, that of one stage. */
export interface AskSkeleton {
  readonly what: "skeleton";
  readonly stage?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** The rest of the program, for the panels. */
export interface AskDetail {
  readonly what: "detail";
  readonly stage?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Which reports there are. */
export interface AskReports {
  readonly what: "reports";
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** A report of the program; for a session, of one stage. */
export interface AskReport {
  readonly what: "report";
  readonly name: string;
  readonly stage?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Check that the kernel is alive. */
export interface AskLife {
  readonly what: "life";
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** The tree of a session's stages. */
export interface AskStages {
  readonly what: "stages";
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** The lineage between a stage and its parent. */
export interface AskLineage {
  readonly what: "lineage";
  readonly stage: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** The operators of a stage. */
export interface AskOps {
  readonly what: "ops";
  readonly stage: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** The dimensions of a stage's inputs. */
export interface AskInputs {
  readonly what: "inputs";
  readonly stage: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** What a call becomes, by a table of decompositions. */
export interface AskPreview {
  readonly what: "preview";
  readonly stage: string;
  readonly node: string;
  readonly table?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** The card of an operator. */
export interface AskExplain {
  readonly what: "explain";
  readonly stage: string;
  readonly op: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Stage b compared with stage a; a diff's widget names no stages. */
export interface AskDiff {
  readonly what: "diff";
  readonly a?: string;
  readonly b?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** The texts of both side by side. */
export interface AskText {
  readonly what: "text";
  readonly a?: string;
  readonly b?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** What was measured of both. */
export interface AskMeasured {
  readonly what: "measured";
  readonly a?: string;
  readonly b?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Run both and compare their values; answered when that is done. */
export interface AskValues {
  readonly what: "values";
  readonly a?: string;
  readonly b?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Find the smallest region of a delegate of b that diverges; answered when that is done or stopped. */
export interface AskBisect {
  readonly what: "bisect";
  readonly node: string;
  readonly a?: string;
  readonly b?: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/**
 * Write the region of a delegate that was bisected as a program of its own, in a folder where the kernel
 * runs. `weights`: "random" or "real"; `names`: whether to keep the user's names.
 */
export interface AskReproducer {
  readonly what: "reproducer";
  readonly node: string;
  readonly path: string;
  readonly a?: string;
  readonly b?: string;
  readonly replace?: boolean;
  readonly weights?: string;
  readonly names?: boolean;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Run a step; answered when it is done. */
export interface AskRun {
  readonly what: "run";
  readonly stage: string;
  readonly step: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Measure a stage, or "a" or "b" of a diff; answered when that is done. */
export interface AskProfile {
  readonly what: "profile";
  readonly stage: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Stop the running step or measurement. */
export interface AskStop {
  readonly what: "stop";
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Rename a stage. */
export interface AskRename {
  readonly what: "rename";
  readonly stage: string;
  readonly name: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Remove a stage and all stages made from it. */
export interface AskDrop {
  readonly what: "drop";
  readonly stage: string;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Put the stages back that were removed last. */
export interface AskRestore {
  readonly what: "restore";
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Write the session, or a stage's .pte, to a file where the kernel runs. */
export interface AskSave {
  readonly what: "save";
  readonly of: "pte" | "session";
  readonly stage: string;
  readonly path: string;
  readonly replace?: boolean;
  readonly kind: "ask";
  readonly from: string;
  readonly n?: number;
}

/** Buffers: the packed skeleton; a small detail too. */
export interface SkeletonMessage {
  readonly kind: "skeleton";
  readonly n?: number;
}

/** Buffer: the packed detail. */
export interface DetailMessage {
  readonly kind: "detail";
  readonly n?: number;
}

/** A report that can be made, and the question that it answers. */
export interface ListedReport {
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

/** The reports that there are, in the order in which they are listed. */
export interface ReportsMessage {
  readonly kind: "reports";
  readonly reports: readonly ListedReport[];
  readonly n?: number;
}

/** Buffer: the packed report. */
export interface ReportMessage {
  readonly kind: "report";
  readonly n?: number;
}

/** The kernel is alive. */
export interface LifeMessage {
  readonly kind: "life";
  readonly n?: number;
}

/**
 * A `StageTree`, and the stage to show; also sent whenever the tree changes.
 *
 * `dropped` names the stages that can be put back.
 */
export interface StagesMessage {
  readonly kind: "stages";
  readonly tree: unknown;
  readonly at: string;
  readonly dropped?: readonly string[];
  readonly n?: number;
}

/** Buffer: JSON of a `Lineage`. */
export interface LineageMessage {
  readonly kind: "lineage";
  readonly n?: number;
}

/** Each an `OpRow`. */
export interface OpsMessage {
  readonly kind: "ops";
  readonly rows: readonly unknown[];
  readonly n?: number;
}

/** Each row is an `InputDim`; the note says what cannot be done. */
export interface InputsMessage {
  readonly kind: "inputs";
  readonly rows: readonly unknown[];
  readonly note: string;
  readonly n?: number;
}

/** Buffer: a whole `.exirviz` file. */
export interface PreviewMessage {
  readonly kind: "preview";
  readonly n?: number;
}

/** An `OpCard`. */
export interface ExplainMessage {
  readonly kind: "explain";
  readonly card: unknown;
  readonly n?: number;
}

/** Buffers: a packed comparison; from a diff's widget also both programs. */
export interface DiffMessage {
  readonly kind: "diff";
  readonly n?: number;
}

/** Buffer: packed rows. */
export interface TextMessage {
  readonly kind: "text";
  readonly n?: number;
}

/** Buffer: packed values and costs. */
export interface MeasuredMessage {
  readonly kind: "measured";
  readonly n?: number;
}

/** Buffer: the packed values. */
export interface ValuesMessage {
  readonly kind: "values";
  readonly n?: number;
}

/** Buffer: a packed `BisectionRecord`. */
export interface BisectMessage {
  readonly kind: "bisect";
  readonly n?: number;
}

/** The files that were written, and whether they show the difference. */
export interface ReproducerMessage {
  readonly kind: "reproducer";
  readonly script: string;
  readonly program: string;
  readonly shows: boolean;
  readonly n?: number;
}

/** The stage that was made. */
export interface RunMessage {
  readonly kind: "run";
  readonly stage: string;
  readonly n?: number;
}

/** The measurement is over; its profile comes with `profiles`. */
export interface ProfileMessage {
  readonly kind: "profile";
  readonly n?: number;
}

/** The stop was requested. */
export interface StopMessage {
  readonly kind: "stop";
  readonly n?: number;
}

/** The stage was renamed. */
export interface RenameMessage {
  readonly kind: "rename";
  readonly n?: number;
}

/** The stage was removed. */
export interface DropMessage {
  readonly kind: "drop";
  readonly n?: number;
}

/** The stages were put back. */
export interface RestoreMessage {
  readonly kind: "restore";
  readonly n?: number;
}

/** The file that was written, and its bytes. */
export interface SaveMessage {
  readonly kind: "save";
  readonly path: string;
  readonly size: number;
  readonly n?: number;
}

/** Why a question has no other answer. `node` is the id of the node that the reason names. */
export interface RefusedMessage {
  readonly kind: "refused";
  readonly reason: string;
  readonly node?: string;
  readonly n?: number;
}

/** The progress of a step or a measurement; without a stage: it is over. */
export interface ProgressMessage {
  readonly kind: "progress";
  readonly stage?: string;
  readonly title?: string;
  readonly text?: string;
  readonly fraction?: number;
  readonly seconds?: number;
  readonly n?: number;
}

/** The values painted on nodes, by name; with categories, the numbers are indices into that list. */
export interface SeriesHead {
  readonly label: string;
  readonly unit: string;
  readonly nodes: readonly string[];
  readonly categories?: readonly string[];
}

/** All paintings, and which of them to show. Buffers: float64 of each. */
export interface SeriesMessage {
  readonly kind: "series";
  readonly series: readonly SeriesHead[];
  readonly show: string | null;
  readonly n?: number;
}

/**
 * All profiles by stage, and which of them to show; also sent on changes. Buffers: JSON of each
 * record.
 */
export interface ProfilesMessage {
  readonly kind: "profiles";
  readonly stages: readonly string[];
  readonly show: string | null;
  readonly n?: number;
}

/** Open modules, nested graphs, and the modules around nodes; to a depth; or all, if nothing is named. */
export interface OpenOrder {
  readonly action: "open";
  readonly kind: "do";
  readonly paths: readonly string[];
  readonly nodes: readonly string[];
  readonly depth: number | null;
}

/** Close modules; all, if none is named. */
export interface CloseOrder {
  readonly action: "close";
  readonly kind: "do";
  readonly paths: readonly string[];
}

/** Fit all that is open into view. */
export interface FitOrder {
  readonly action: "fit";
  readonly kind: "do";
}

/** Bring the first item with one of these keys into view. */
export interface LookOrder {
  readonly action: "look";
  readonly kind: "do";
  readonly keys: readonly string[];
}

/** Enter a query in the search box. */
export interface SearchOrder {
  readonly action: "search";
  readonly kind: "do";
  readonly query: string;
}

/** Color what a query finds; by default in a color that no other rule has. */
export interface ColorOrder {
  readonly action: "color";
  readonly kind: "do";
  readonly query: string;
  readonly color: string | null;
}

/** Remove color rules; all, if none is named. */
export interface UncolorOrder {
  readonly action: "uncolor";
  readonly kind: "do";
  readonly queries: readonly string[];
}

/** Show stages side by side, from left to right. */
export interface CompareOrder {
  readonly action: "compare";
  readonly kind: "do";
  readonly stages: readonly string[];
}

export type Question =
  | AskSkeleton
  | AskDetail
  | AskReports
  | AskReport
  | AskLife
  | AskStages
  | AskLineage
  | AskOps
  | AskInputs
  | AskPreview
  | AskExplain
  | AskDiff
  | AskText
  | AskMeasured
  | AskValues
  | AskBisect
  | AskReproducer
  | AskRun
  | AskProfile
  | AskStop
  | AskRename
  | AskDrop
  | AskRestore
  | AskSave;

export type KernelMessage =
  | SkeletonMessage
  | DetailMessage
  | ReportsMessage
  | ReportMessage
  | LifeMessage
  | StagesMessage
  | LineageMessage
  | OpsMessage
  | InputsMessage
  | PreviewMessage
  | ExplainMessage
  | DiffMessage
  | TextMessage
  | MeasuredMessage
  | ValuesMessage
  | BisectMessage
  | ReproducerMessage
  | RunMessage
  | ProfileMessage
  | StopMessage
  | RenameMessage
  | DropMessage
  | RestoreMessage
  | SaveMessage
  | RefusedMessage
  | ProgressMessage
  | SeriesMessage
  | ProfilesMessage;

export const KERNEL_MESSAGES = {
  skeleton: {
    "n?": "number | null",
  },
  detail: {
    "n?": "number | null",
  },
  reports: {
    reports: "ListedReport[]",
    "n?": "number | null",
  },
  report: {
    "n?": "number | null",
  },
  life: {
    "n?": "number | null",
  },
  stages: {
    tree: "unknown",
    at: "string",
    "dropped?": "string[]",
    "n?": "number | null",
  },
  lineage: {
    "n?": "number | null",
  },
  ops: {
    rows: "unknown[]",
    "n?": "number | null",
  },
  inputs: {
    rows: "unknown[]",
    note: "string",
    "n?": "number | null",
  },
  preview: {
    "n?": "number | null",
  },
  explain: {
    card: "unknown",
    "n?": "number | null",
  },
  diff: {
    "n?": "number | null",
  },
  text: {
    "n?": "number | null",
  },
  measured: {
    "n?": "number | null",
  },
  values: {
    "n?": "number | null",
  },
  bisect: {
    "n?": "number | null",
  },
  reproducer: {
    script: "string",
    program: "string",
    shows: "boolean",
    "n?": "number | null",
  },
  run: {
    stage: "string",
    "n?": "number | null",
  },
  profile: {
    "n?": "number | null",
  },
  stop: {
    "n?": "number | null",
  },
  rename: {
    "n?": "number | null",
  },
  drop: {
    "n?": "number | null",
  },
  restore: {
    "n?": "number | null",
  },
  save: {
    path: "string",
    size: "number",
    "n?": "number | null",
  },
  refused: {
    reason: "string",
    "node?": "string",
    "n?": "number | null",
  },
  progress: {
    "stage?": "string | null",
    "title?": "string",
    "text?": "string",
    "fraction?": "number | null",
    "seconds?": "number",
    "n?": "number | null",
  },
  series: {
    series: "SeriesHead[]",
    show: "string | null",
    "n?": "number | null",
  },
  profiles: {
    stages: "string[]",
    show: "string | null",
    "n?": "number | null",
  },
} as const;

export type Order =
  | OpenOrder
  | CloseOrder
  | FitOrder
  | LookOrder
  | SearchOrder
  | ColorOrder
  | UncolorOrder
  | CompareOrder;

export const ORDERS = {
  open: {
    kind: "string",
    paths: "string[]",
    nodes: "string[]",
    depth: "number | null",
  },
  close: {
    kind: "string",
    paths: "string[]",
  },
  fit: {
    kind: "string",
  },
  look: {
    kind: "string",
    keys: "string[]",
  },
  search: {
    kind: "string",
    query: "string",
  },
  color: {
    kind: "string",
    query: "string",
    color: "string | null",
  },
  uncolor: {
    kind: "string",
    queries: "string[]",
  },
  compare: {
    kind: "string",
    stages: "string[]",
  },
} as const;

export const PARTS = {
  ListedReport: {
    name: "string",
    title: "string",
    about: "string",
  },
  SeriesHead: {
    label: "string",
    unit: "string",
    nodes: "string[]",
    "categories?": "string[] | null",
  },
} as const;
