/** The answer of a provider, converted for the explorer and the comparison. */
import type { Compared } from "../compare/model/compared_programs";
import type { Source } from "../hosts/source";
import type { Translation } from "../hosts/translation";
import { asProfile, type ProfileRecord } from "../profile";
import { readPacked } from "../snapshot";
import { packedSections, sectionsOf, UnreadableSnapshot, unpack } from "../snapshot/container";
import { SavedStageSource, type SavedStages, type StageComparing } from "../stages";

interface ProgramAnswer {
  readonly source: Source;
  /** Present if the file is a profile. */
  readonly profile?: ProfileRecord;
}

/** Asks for what changed from one stage of the file to another. */
type CompareStages = (a: string, b: string) => Promise<Uint8Array>;

export async function readProgram(
  answer: Uint8Array,
  trans: Translation,
  compareStages: CompareStages,
): Promise<ProgramAnswer> {
  const packed = packedSections(answer);
  const stages = packed.get("stages");
  if (stages) return { source: { stages: await stagesOf(packed, stages, trans, compareStages) } };
  const profile = packed.get("profile");
  const [snapshot, record] = await Promise.all([readPacked(sectionsOf(packed)), profile && unpack(profile)]);
  return { source: { snapshot }, ...(record !== undefined && { profile: asProfile(record) }) };
}

export async function readDiff(answer: Uint8Array, trans: Translation): Promise<Compared> {
  const packed = packedSections(answer);
  const [a, b, comparison] = await Promise.all([
    readPacked(sectionsOf(packed, "a/")),
    readPacked(sectionsOf(packed, "b/")),
    unpack(section(packed, "comparison", trans)),
  ]);
  const measured = packed.get("measured");
  const known = async () => (measured ? unpack(measured) : {});
  const values = trans.__(
    "Files are read as data and never run. To compare values or costs, use live programs in a notebook: %1.",
    "exir_viz.diff(a, b).values()",
  );
  const text = () => unpack(section(packed, "text", trans));
  return { snapshots: [a, b], between: [{ comparison, text, measured: { known, values } }] };
}

type Packed = ReadonlyMap<string, Uint8Array>;

/** All stages of a session's file. */
async function stagesOf(
  packed: Packed,
  stages: Uint8Array,
  trans: Translation,
  compareStages: CompareStages,
): Promise<SavedStageSource> {
  const saved = (await unpack(stages)) as SavedStages;
  const reason = trans.__(
    "A file is read as data and never run. To run, measure or save stages, use %1 in a notebook.",
    "exir_viz.Session(program)",
  );
  const comparing = comparingOf(compareStages, await unpack(section(packed, "version", trans)), trans);
  return new SavedStageSource(saved, (stage) => sectionsOf(packed, `${stage}/`), comparing, reason);
}

/** Each two stages are asked for once. A comparison from another version of the file belongs to other stages. */
function comparingOf(compareStages: CompareStages, version: unknown, trans: Translation): StageComparing {
  const known = new Map<string, Promise<Packed>>();
  const read = async (a: string, b: string): Promise<Packed> => {
    const packed = packedSections(await compareStages(a, b));
    if ((await unpack(section(packed, "version", trans))) === version) return packed;
    throw new UnreadableSnapshot(trans.__("The file has changed since it was opened. Reload it."));
  };
  const between = (a: string, b: string): Promise<Packed> => {
    const key = `${a} ${b}`;
    const found = known.get(key) ?? read(a, b);
    known.set(key, found);
    found.catch(() => known.delete(key)); // allow a new request
    return found;
  };
  return {
    diff: async (a, b) => section(await between(a, b), "comparison", trans),
    text: async (a, b) => section(await between(a, b), "text", trans),
    measured: async (a, b) => (await between(a, b)).get("measured"),
  };
}

function section(packed: Packed, name: string, trans: Translation): Uint8Array {
  const found = packed.get(name);
  if (!found) throw new UnreadableSnapshot(trans.__("Its section %1 is missing.", name));
  return found;
}
