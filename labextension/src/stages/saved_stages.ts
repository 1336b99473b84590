/** Stages from data, such as those of a page or a file: all can be viewed, none can be changed. */
import { type ReportSource, savedReports } from "../snapshot";
import type { Sections } from "../snapshot/container";
import { asTree, UnreadableStages } from "./narrow";
import type { SourceState, StageComparing, StageSource } from "./source";

/** What the data contains except the Snapshots: the tree, the stage to show, lineages by stage. */
export interface SavedStages {
  readonly tree?: unknown;
  readonly at?: unknown;
  readonly lineages?: Readonly<Record<string, unknown>>;
  /** Stages that the page first shows side by side. */
  readonly compare?: unknown;
  /** The pairs that the page has comparisons of. */
  readonly compared?: unknown;
}

/** The page's data about two stages: the comparison, the text of both, the measurements of both. */
export const SAVED_PARTS = ["diff", "text", "measured"] as const;

export type SavedPart = (typeof SAVED_PARTS)[number];

type SavedPair = (a: string, b: string, what: SavedPart) => Uint8Array | undefined;

const NO_KERNEL =
  "This page has no kernel. To run, measure or save stages, use exir_viz.Session(program) in a notebook.";

export class SavedStageSource implements StageSource {
  readonly state: SourceState;
  private readonly read = new Map<string, Sections>();
  /** Stages to show side by side first; empty if the first view is one stage. */
  readonly compare: readonly string[];
  readonly comparing?: StageComparing;

  /**
   * `sectionsOf`: the packed sections of a stage, asked for once. `comparing`: absent if stages cannot be compared.
   * `actions`: why no step can run.
   */
  constructor(
    private readonly saved: SavedStages,
    private readonly sectionsOf: (stage: string) => Sections | undefined,
    comparing?: StageComparing,
    readonly actions: string = NO_KERNEL,
  ) {
    const tree = asTree(saved.tree);
    const wanted: readonly unknown[] = Array.isArray(saved.compare) ? saved.compare : [];
    this.compare = wanted.filter((id): id is string => tree.stages.some((each) => each.id === id));
    if (comparing) this.comparing = comparing;
    const at = tree.stages.find(({ id }) => id === saved.at) ?? tree.stages[0];
    this.state = { tree, at: at?.id ?? "" };
  }

  /** Nothing changes. */
  subscribe(): () => void {
    return () => undefined;
  }

  async skeleton(stage: string): Promise<Uint8Array> {
    return this.sections(stage).skeleton;
  }

  async detail(stage: string): Promise<Uint8Array> {
    return this.sections(stage).detail;
  }

  async page(stage: string): Promise<Uint8Array | undefined> {
    return this.sections(stage).page;
  }

  reports(stage: string): ReportSource | undefined {
    return savedReports(this.sections(stage).reports);
  }

  async lineage(stage: string): Promise<unknown> {
    return this.saved.lineages?.[stage];
  }

  private sections(stage: string): Sections {
    const known = this.read.get(stage);
    if (known) return known;
    const found = this.sectionsOf(stage);
    if (!found) throw new UnreadableStages(`This page does not contain stage ${stage}.`);
    this.read.set(stage, found);
    return found;
  }
}

/**
 * The comparisons that a page has; undefined if it has none. Two stages without a comparison are named in the error.
 */
export function savedComparing(saved: SavedStages, pair: SavedPair): StageComparing | undefined {
  if (!Array.isArray(saved.compared) || saved.compared.length === 0) return undefined;
  const pairs = new Set(saved.compared.map(String));
  const { stages } = asTree(saved.tree);
  const name = (id: string): string => stages.find((each) => each.id === id)?.name ?? id;
  const missing = (a: string, b: string): string =>
    `This page has no comparison of ${name(a)} with ${name(b)}. In a notebook, any two stages can be compared.`;
  const known = new Map<string, Uint8Array>();
  const find = (a: string, b: string, what: SavedPart): Uint8Array | undefined => {
    const key = `${what} ${a} ${b}`;
    const found = known.get(key) ?? pair(a, b, what);
    if (found) known.set(key, found);
    return found;
  };
  const read = async (a: string, b: string, what: SavedPart): Promise<Uint8Array> => {
    const found = find(a, b, what);
    if (!found) throw new UnreadableStages(missing(a, b));
    return found;
  };
  return {
    whyNot: (a, b) => (pairs.has(String([a, b])) ? "" : missing(a, b)),
    diff: (a, b) => read(a, b, "diff"),
    text: (a, b) => read(a, b, "text"),
    measured: async (a, b) => find(a, b, "measured"),
  };
}
