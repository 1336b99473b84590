/** The answer of a provider, converted for the explorer and the comparison. */
import type { Compared } from "../compare/model/compared_programs";
import { asProfile, type ProfileRecord } from "../profile";
import { readSections, type Snapshot } from "../snapshot";
import { packedSections, UnreadableSnapshot, unpack } from "../snapshot/container";

const NOT_RUN =
  "Files are read as data and never run. To compare values or costs, use live programs in a notebook: " +
  "exir_viz.compare_values(a, b).";

interface ProgramAnswer {
  readonly snapshot: Snapshot;
  /** Present if the file is a profile. */
  readonly profile?: ProfileRecord;
}

export async function readProgram(answer: Uint8Array): Promise<ProgramAnswer> {
  const packed = packedSections(answer);
  const profile = packed.get("profile");
  const [snapshot, record] = await Promise.all([snapshotOf(packed, ""), profile && unpack(profile)]);
  return { snapshot, ...(record !== undefined && { profile: asProfile(record) }) };
}

export async function readDiff(answer: Uint8Array): Promise<Compared> {
  const packed = packedSections(answer);
  const [a, b, comparison] = await Promise.all([
    snapshotOf(packed, "a/"),
    snapshotOf(packed, "b/"),
    unpack(section(packed, "comparison")),
  ]);
  const measured = packed.get("measured");
  const known = async () => (measured ? unpack(measured) : {});
  const text = () => unpack(section(packed, "text"));
  return { snapshots: [a, b], between: [{ comparison, text, measured: { known, values: NOT_RUN } }] };
}

type Packed = ReadonlyMap<string, Uint8Array>;

const snapshotOf = (packed: Packed, prefix: string): Promise<Snapshot> =>
  readSections(
    section(packed, `${prefix}skeleton`),
    section(packed, `${prefix}detail`),
    packed.get(`${prefix}page`),
    async () => packed.get(`${prefix}analysis`),
  );

function section(packed: Packed, name: string): Uint8Array {
  const found = packed.get(name);
  if (!found) throw new UnreadableSnapshot(`Its section ${name} is missing.`);
  return found;
}
