/** What a host hands over to be shown, in whichever form it has it. */
import { readFile, readSections, type Section, type Snapshot } from "../snapshot";
import { type StageSource, Stages } from "../stages";

export type Source =
  /** A whole `.exirviz` file. */
  | { readonly file: Uint8Array }
  /** The packed skeleton, and the detail when it is asked for. */
  | { readonly skeleton: Section; readonly detail: Section; readonly isDetailHere?: () => boolean }
  | { readonly snapshot: Snapshot }
  | { readonly stages: StageSource | Promise<StageSource> };

/** A program to be shown; where it is a stage, all of them. */
export interface Opened {
  readonly snapshot: Snapshot;
  readonly stages?: { readonly all: Stages; readonly at: string };
}

/** Packed bytes of a detail that is read before the first picture, which it makes better: some 20 ms. */
const SMALL_DETAIL = 300_000;

/** `wanted`: the stage to begin with, where there are stages and it is one. */
export async function open(source: Source, wanted?: string): Promise<Opened> {
  if ("stages" in source) {
    const all = new Stages(await source.stages);
    const at = all.record(wanted ?? "")?.id ?? all.source.state.at;
    return { snapshot: await all.snapshot(all.shown(at).id), stages: { all, at } };
  }
  const snapshot = await read(source);
  // A detail that cannot be read is told where it is looked at; the picture does without.
  const isHere = "isDetailHere" in source && source.isDetailHere?.();
  const isSmall = (snapshot.detailBytes ?? Number.POSITIVE_INFINITY) < SMALL_DETAIL;
  if (isHere || isSmall) await snapshot.detail().catch(() => undefined);
  return { snapshot };
}

async function read(source: Exclude<Source, { readonly stages: unknown }>): Promise<Snapshot> {
  if ("snapshot" in source) return source.snapshot;
  if ("file" in source) return readFile(source.file);
  return readSections(source.skeleton, source.detail);
}
