/** Bytes → Snapshot: a whole `.exirviz` file, or its two sections as a kernel sends them. */
import { type Sections, sections, unpack } from "./container";
import { renamed, userNames } from "./names";
import { asDetail, asPageSkeleton } from "./narrow";
import type { Detail } from "./schema";
import { type ReportSource, Snapshot } from "./snapshot";

/** A packed section, or how to load it. */
export type Section = Uint8Array | (() => Promise<Uint8Array>);

export const readFile = async (file: Uint8Array): Promise<Snapshot> => readPacked(sections(file));

/** The packed sections of a file. */
export const readPacked = ({ skeleton, detail, page, reports }: Sections): Promise<Snapshot> =>
  readSections(skeleton, detail, page, savedReports(reports));

/** Reports that are all in one section, unpacked when they are first asked for; undefined if there is none. */
export function savedReports(section: Uint8Array | undefined): ReportSource | undefined {
  let unpacked: Promise<unknown> | undefined;
  const all = async (): Promise<readonly unknown[]> => {
    unpacked ??= unpack(section ?? new Uint8Array());
    const list = await unpacked;
    return Array.isArray(list) ? list : [];
  };
  const isNamed = (report: unknown, name: string): boolean => (report as { name?: unknown })?.name === name;
  return (
    section && { list: all, report: async (name) => (await all()).find((report) => isNamed(report, name)) }
  );
}

/**
 * The detail and the reports are loaded and unpacked on demand. `page`: the section of a file that a kernel sends
 * inside the skeleton.
 */
export async function readSections(
  skeleton: Section,
  detail: Section,
  page?: Uint8Array | (() => Promise<Uint8Array | undefined>),
  reports?: ReportSource,
): Promise<Snapshot> {
  const [raw, file] = await Promise.all([packed(skeleton), typeof page === "function" ? page() : page]);
  const read = asPageSkeleton(await unpack(raw), file && (await unpack(file)));
  const here = typeof detail === "function" ? undefined : detail.length;
  const names = userNames(read.methods);
  const readDetail = async (): Promise<Detail> =>
    renamed(asDetail(await unpack(await packed(detail)), read), names);
  return new Snapshot(renamed(read, names), readDetail, here, names, reports);
}

const packed = async (section: Section): Promise<Uint8Array> =>
  typeof section === "function" ? section() : section;
