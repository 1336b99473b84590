/**
 * The `.exirviz` container: bytes → the raw JSON of its sections.
 *
 * Sizes are checked before anything is unpacked; a newer schema is refused by name. The layout is that of
 * `exir_viz/snapshot/wire.py`: magic, header length, JSON header, then one zlib stream per section.
 */
import { SCHEMA } from "./schema";

const MAGIC = "EXIRVIZ\n";
const MAX_HEADER_BYTES = 1 << 16;
const MAX_SECTION_BYTES = 1 << 30;
/** Repeated layers pack 30 to 1; a larger stream with 200 to one is an attack. */
const MAX_RATIO = 200;
const SMALL_BYTES = 16 << 20;

export class UnreadableSnapshot extends Error {
  override readonly name = "UnreadableSnapshot";
}

export interface Sections {
  readonly skeleton: Uint8Array;
  readonly detail: Uint8Array;
  /** The section that only pages need. */
  readonly page?: Uint8Array | undefined;
  /** All reports, in a page without a kernel. */
  readonly reports?: Uint8Array | undefined;
}

interface Section {
  readonly name: string;
  readonly packed: number;
  readonly bytes: number;
}

/** The packed sections of a Snapshot's file. */
export const sections = (file: Uint8Array): Sections => sectionsOf(packedSections(file));

/** The packed sections of a Snapshot in a file with more than one; `prefix`: what their names start with. */
export function sectionsOf(found: ReadonlyMap<string, Uint8Array>, prefix = ""): Sections {
  const skeleton = found.get(`${prefix}skeleton`);
  const detail = found.get(`${prefix}detail`);
  if (!skeleton || !detail) throw new UnreadableSnapshot("It lacks its skeleton or its detail.");
  return {
    skeleton,
    detail,
    page: found.get(`${prefix}page`),
    reports: found.get(`${prefix}reports`),
  };
}

/** All packed sections of a file, by name. */
export function packedSections(file: Uint8Array): Map<string, Uint8Array> {
  const head = new TextDecoder("latin1").decode(file.subarray(0, MAGIC.length));
  if (head !== MAGIC) throw new UnreadableSnapshot("It does not begin as a .exirviz file does.");
  const start = MAGIC.length + 4;
  if (file.length < start) throw new UnreadableSnapshot("It ends before its header.");
  const size = new DataView(file.buffer, file.byteOffset, file.byteLength).getUint32(MAGIC.length);
  if (size > MAX_HEADER_BYTES || file.length < start + size) {
    throw new UnreadableSnapshot(`Its header claims ${size} bytes, which it does not have.`);
  }
  const header = readHeader(JSON.parse(new TextDecoder().decode(file.subarray(start, start + size))));
  const found = new Map<string, Uint8Array>();
  let at = start + size;
  for (const section of header) {
    if (section.bytes > mostUnpacked(section.packed)) {
      throw new UnreadableSnapshot(`Its section ${section.name} claims to unpack to ${section.bytes} bytes.`);
    }
    if (file.length < at + section.packed) {
      throw new UnreadableSnapshot(`It ends within its section ${section.name}.`);
    }
    found.set(section.name, file.subarray(at, at + section.packed));
    at += section.packed;
  }
  return found;
}

function readHeader(header: unknown): Section[] {
  if (typeof header !== "object" || header === null || !("schema" in header) || !("sections" in header)) {
    throw new UnreadableSnapshot("Its header names no schema and no sections.");
  }
  if (typeof header.schema !== "number" || header.schema > SCHEMA) {
    throw new UnreadableSnapshot(
      `It was written in schema ${String(header.schema)}, and this viewer reads up to ${SCHEMA}.`,
    );
  }
  if (header.schema < SCHEMA) {
    throw new UnreadableSnapshot(
      `It was written in the older schema ${header.schema}. Open it with exir_viz.load(…), which upgrades it.`,
    );
  }
  if (!Array.isArray(header.sections)) throw new UnreadableSnapshot("Its header lists no sections.");
  return header.sections.map(readSection);
}

function readSection(section: unknown): Section {
  if (typeof section === "object" && section !== null) {
    const { name, packed, bytes } = section as Record<string, unknown>;
    if (typeof name === "string" && isSize(packed) && isSize(bytes)) return { name, packed, bytes };
  }
  throw new UnreadableSnapshot("Its header describes an invalid section.");
}

const isSize = (x: unknown): x is number => Number.isSafeInteger(x) && (x as number) >= 0;

const mostUnpacked = (packed: number): number =>
  Math.min(MAX_SECTION_BYTES, Math.max(SMALL_BYTES, MAX_RATIO * packed));

/** One zlib stream of JSON, unpacked and parsed; never holds more than `MAX_SECTION_BYTES`. */
export async function unpack(packed: Uint8Array): Promise<unknown> {
  const limit = mostUnpacked(packed.length);
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const parts: string[] = [];
  let bytes = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes += chunk.value.length;
    if (bytes > limit) throw new UnreadableSnapshot(`It unpacks to more than ${limit} bytes.`);
    parts.push(decoder.decode(chunk.value, { stream: true }));
  }
  parts.push(decoder.decode());
  return JSON.parse(parts.join(""));
}
