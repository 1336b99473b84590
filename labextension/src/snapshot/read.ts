/** Bytes → Snapshot: a whole `.exirviz` file, or its two sections as a kernel sends them one after the other. */
import { sections, unpack } from "./container";
import { renamed, userNames } from "./names";
import { asDetail, asSkeleton } from "./narrow";
import type { Detail } from "./schema";
import { Snapshot } from "./snapshot";

/** A packed section, there already or yet to be fetched. */
export type Section = Uint8Array | (() => Promise<Uint8Array>);

export async function readFile(file: Uint8Array): Promise<Snapshot> {
  const { skeleton, detail } = sections(file);
  return readSections(skeleton, detail);
}

/** The detail is neither fetched nor unpacked before someone asks for it. */
export async function readSections(skeleton: Section, detail: Section): Promise<Snapshot> {
  const read = asSkeleton(await unpack(await packed(skeleton)));
  const here = typeof detail === "function" ? undefined : detail.length;
  const names = userNames(read.methods);
  const readDetail = async (): Promise<Detail> =>
    renamed(asDetail(await unpack(await packed(detail)), read), names);
  return new Snapshot(renamed(read, names), readDetail, here, names);
}

const packed = async (section: Section): Promise<Uint8Array> =>
  typeof section === "function" ? section() : section;
