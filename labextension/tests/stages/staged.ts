/** Stages of real programs, made by `python -m tests.corpus NAME.stages`: the data of a page, as one JSON. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readFile, type Snapshot } from "../../src/snapshot";
import { sections } from "../../src/snapshot/container";
import {
  SavedStageSource,
  type SavedStages,
  type SourceState,
  type StageActions,
  type StageSource,
} from "../../src/stages";

const folder = process.env["EXIR_VIZ_CORPUS"] ?? join(import.meta.dirname, "../../../.cache/corpus");
const pathOf = (name: string): string => join(folder, `${name}.stages.json`);

export interface Written extends SavedStages {
  /** Base64 of `.exirviz` files, by stage. */
  readonly files: Readonly<Record<string, string>>;
}

export const hasStages = (name: string): boolean => existsSync(pathOf(name));

export const written = (name: string): Written => JSON.parse(readFileSync(pathOf(name), "utf8")) as Written;

/** Lowered by `tests/corpus/staged.py`: with the stages `edge`, `xnnpack` and `executorch`. */
export const DELEGATED = [
  "llama2",
  "llama2dynamic",
  "qwen2",
  "whisper2",
  "vit2",
  "mobilenetv2",
  "resnet11",
] as const;

/** The Snapshot of a stage, by its name. */
export async function snapshotAt(name: string, stage: string): Promise<Snapshot> {
  const { files, tree } = written(name);
  const { stages } = tree as { stages: { id: string; name: string }[] };
  const id = stages.find((each) => each.name === stage)?.id ?? "";
  return readFile(Buffer.from(files[id] ?? "", "base64"));
}

/** A source in memory whose state a test may change as a kernel would. */
export class StagedSource implements StageSource {
  state: SourceState;
  actions: StageActions | string = "Steps need a kernel.";
  private readonly saved: SavedStageSource;
  private readonly listeners = new Set<() => void>();

  constructor(given: Written) {
    this.saved = new SavedStageSource(given, (stage) => {
      const file = given.files[stage];
      return file === undefined ? undefined : sections(Buffer.from(file, "base64"));
    });
    this.state = this.saved.state;
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

  skeleton = (stage: string): Promise<Uint8Array> => this.saved.skeleton(stage);
  detail = (stage: string): Promise<Uint8Array> => this.saved.detail(stage);
  page = (stage: string): Promise<Uint8Array | undefined> => this.saved.page(stage);
  lineage = (stage: string): Promise<unknown> => this.saved.lineage(stage);
}

export const stagedProgram = (name: string): StagedSource => new StagedSource(written(name));
