/** What a host hands over to be shown, in whichever form it has it. */
import { readFile, readSections, type Section, type Snapshot } from "../snapshot";

export type Source =
  /** A whole `.exirviz` file. */
  | { readonly file: Uint8Array }
  /** The packed skeleton, and the detail when it is asked for. */
  | { readonly skeleton: Section; readonly detail: Section }
  | { readonly snapshot: Snapshot };

export async function open(source: Source): Promise<Snapshot> {
  if ("snapshot" in source) return source.snapshot;
  return "file" in source ? readFile(source.file) : readSections(source.skeleton, source.detail);
}
