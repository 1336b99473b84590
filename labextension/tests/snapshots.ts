/** Real programs as Snapshots, and small ones made by hand for what real ones seldom have. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Detail, readFile, type Skeleton, Snapshot } from "../src/snapshot";

const folder = process.env["EXIR_VIZ_CORPUS"] ?? join(import.meta.dirname, "../../.cache/corpus");

export const hasSnapshot = (name: string): boolean => existsSync(join(folder, `${name}.exirviz`));

export async function readCorpus(name: string): Promise<Snapshot> {
  const path = join(folder, `${name}.exirviz`);
  if (!existsSync(path)) throw new Error(`${name}.exirviz is not there: python -m tests.corpus ${name}`);
  return readFile(readFileSync(path));
}

/** A Snapshot of the corpus with something about it changed. */
export async function changed(
  snapshot: Snapshot,
  skeleton: (given: Skeleton) => Partial<Skeleton>,
  detail: (given: Detail) => Partial<Detail> = () => ({}),
): Promise<Snapshot> {
  const read = await snapshot.detail();
  return new Snapshot({ ...snapshot.skeleton, ...skeleton(snapshot.skeleton) }, async () => ({
    ...read,
    ...detail(read),
  }));
}
