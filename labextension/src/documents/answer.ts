/** The answer of a provider, converted for the explorer and the comparison. */
import type { Compared } from "../compare/model/compared_programs";
import type { Translation } from "../hosts/translation";
import { asProfile, type ProfileRecord } from "../profile";
import { readSections, type Snapshot } from "../snapshot";
import { packedSections, UnreadableSnapshot, unpack } from "../snapshot/container";

interface ProgramAnswer {
  readonly snapshot: Snapshot;
  /** Present if the file is a profile. */
  readonly profile?: ProfileRecord;
}

export async function readProgram(answer: Uint8Array, trans: Translation): Promise<ProgramAnswer> {
  const packed = packedSections(answer);
  const profile = packed.get("profile");
  const [snapshot, record] = await Promise.all([snapshotOf(packed, "", trans), profile && unpack(profile)]);
  return { snapshot, ...(record !== undefined && { profile: asProfile(record) }) };
}

export async function readDiff(answer: Uint8Array, trans: Translation): Promise<Compared> {
  const packed = packedSections(answer);
  const [a, b, comparison] = await Promise.all([
    snapshotOf(packed, "a/", trans),
    snapshotOf(packed, "b/", trans),
    unpack(section(packed, "comparison", trans)),
  ]);
  const measured = packed.get("measured");
  const known = async () => (measured ? unpack(measured) : {});
  const values = trans.__(
    "Files are read as data and never run. To compare values or costs, use live programs in a notebook: %1.",
    "exir_viz.compare_values(a, b)",
  );
  const text = () => unpack(section(packed, "text", trans));
  return { snapshots: [a, b], between: [{ comparison, text, measured: { known, values } }] };
}

type Packed = ReadonlyMap<string, Uint8Array>;

const snapshotOf = (packed: Packed, prefix: string, trans: Translation): Promise<Snapshot> =>
  readSections(
    section(packed, `${prefix}skeleton`, trans),
    section(packed, `${prefix}detail`, trans),
    packed.get(`${prefix}page`),
    async () => packed.get(`${prefix}analysis`),
  );

function section(packed: Packed, name: string, trans: Translation): Uint8Array {
  const found = packed.get(name);
  if (!found) throw new UnreadableSnapshot(trans.__("Its section %1 is missing.", name));
  return found;
}
