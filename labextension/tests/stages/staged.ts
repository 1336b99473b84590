/** Stages of real programs, as `python -m tests.corpus NAME.stages` makes them: what a page carries, as one JSON. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sections } from "../../src/snapshot/container";
import { asTree, type SourceState, type StageActions, type StageSource } from "../../src/stages";

const folder = process.env["EXIR_VIZ_CORPUS"] ?? join(import.meta.dirname, "../../../.cache/corpus");

interface Carried {
  readonly tree: unknown;
  readonly lineages: Readonly<Record<string, unknown>>;
  /** Base64 of `.exirviz` files. */
  readonly files: Readonly<Record<string, string>>;
}

export const hasStages = (name: string): boolean => existsSync(join(folder, `${name}.stages.json`));

/** A source that answers from memory; tests may change its state and tell its listeners. */
export class StagedSource implements StageSource {
  state: SourceState;
  actions: StageActions | string = "Steps need a kernel.";
  readonly asked: string[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly carried: Carried) {
    const tree = asTree(carried.tree);
    this.state = { tree, at: tree.stages[0]?.id ?? "" };
  }

  set(change: Partial<SourceState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get listening(): number {
    return this.listeners.size;
  }

  skeleton = async (stage: string): Promise<Uint8Array> => this.part(stage).skeleton;
  detail = async (stage: string): Promise<Uint8Array> => this.part(stage).detail;
  lineage = async (stage: string): Promise<unknown> => this.carried.lineages[stage];

  private part(stage: string) {
    this.asked.push(stage);
    return sections(Buffer.from(this.carried.files[stage] ?? "", "base64"));
  }
}

export function stagedProgram(name: string): StagedSource {
  return new StagedSource(JSON.parse(readFileSync(join(folder, `${name}.stages.json`), "utf8")));
}
