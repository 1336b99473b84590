/** What a host passes to the explorer, in one of several forms. */
import { type ReportSource, readFile, readSections, type Section, type Snapshot } from "../snapshot";
import { type StageSource, Stages } from "../stages";

export type Source =
  /** A whole `.exirviz` file. */
  | { readonly file: Uint8Array }
  /** The packed skeleton, and the detail on demand. */
  | {
      readonly skeleton: Section;
      readonly detail: Section;
      readonly reports?: ReportSource;
      readonly isDetailHere?: () => boolean;
    }
  | { readonly snapshot: Snapshot }
  | { readonly stages: StageSource | Promise<StageSource> };

/** A program to show; if it is a stage, with all stages. */
export interface Opened {
  readonly snapshot: Snapshot;
  readonly stages?: { readonly all: Stages; readonly at: string };
}

/** A smaller packed detail is read before the first picture, which it improves; some 20 ms. */
const SMALL_DETAIL = 300_000;

/** `wanted`: the first stage to show, if it exists. */
export async function open(source: Source, wanted?: string): Promise<Opened> {
  if ("stages" in source) {
    const all = new Stages(await source.stages);
    const at = all.record(wanted ?? "")?.id ?? all.source.state.at;
    return { snapshot: await all.snapshot(all.shown(at).id), stages: { all, at } };
  }
  const snapshot = await read(source);
  // An unreadable detail is reported where it is needed; the picture works without.
  const isHere = "isDetailHere" in source && source.isDetailHere?.();
  const isSmall = (snapshot.detailBytes ?? Number.POSITIVE_INFINITY) < SMALL_DETAIL;
  if (isHere || isSmall) await snapshot.detail().catch(() => undefined);
  return { snapshot };
}

async function read(source: Exclude<Source, { readonly stages: unknown }>): Promise<Snapshot> {
  if ("snapshot" in source) return source.snapshot;
  if ("file" in source) return readFile(source.file);
  return readSections(source.skeleton, source.detail, undefined, source.reports);
}
