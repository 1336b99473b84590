/** Stages that came along as data, such as those of a page: all can be looked at, and nothing can be done. */
import { type Sections, sections } from "../snapshot/container";
import { asTree, UnreadableStages } from "./narrow";
import type { SourceState, StageSource } from "./source";

/** What a page carries besides the Snapshots: the tree, the stage to show, lineages by stage. */
export interface Carried {
  readonly tree?: unknown;
  readonly at?: unknown;
  readonly lineages?: Readonly<Record<string, unknown>>;
}

const REASON =
  "This page has no kernel. In a notebook, exir_viz.Session(program) makes the next stages, from Python or from here.";

export class CarriedSource implements StageSource {
  readonly state: SourceState;
  readonly actions = REASON;
  private readonly read = new Map<string, Sections>();

  /** `file`: the `.exirviz` file of a stage. */
  constructor(
    private readonly carried: Carried,
    private readonly file: (stage: string) => Uint8Array | undefined,
  ) {
    const tree = asTree(carried.tree);
    const at = tree.stages.find(({ id }) => id === carried.at) ?? tree.stages[0];
    this.state = { tree, at: at?.id ?? "" };
  }

  /** Nothing ever changes. */
  subscribe(): () => void {
    return () => undefined;
  }

  async skeleton(stage: string): Promise<Uint8Array> {
    return this.sections(stage).skeleton;
  }

  async detail(stage: string): Promise<Uint8Array> {
    return this.sections(stage).detail;
  }

  async lineage(stage: string): Promise<unknown> {
    return this.carried.lineages?.[stage];
  }

  private sections(stage: string): Sections {
    const known = this.read.get(stage);
    if (known) return known;
    const file = this.file(stage);
    if (!file) throw new UnreadableStages(`The page does not carry stage ${stage}.`);
    const made = sections(file);
    this.read.set(stage, made);
    return made;
  }
}
