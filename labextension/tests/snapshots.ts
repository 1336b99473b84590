/** Real programs as Snapshots, and small handmade ones for rare cases. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Changes } from "../src/compare";
import { type Detail, type PageSkeleton, readFile, Snapshot } from "../src/snapshot";

export const folder = process.env["EXIR_VIZ_CORPUS"] ?? join(import.meta.dirname, "../../.cache/corpus");

export const hasSnapshot = (name: string): boolean => existsSync(join(folder, `${name}.exirviz`));

export async function readCorpus(name: string): Promise<Snapshot> {
  const path = join(folder, `${name}.exirviz`);
  if (!existsSync(path)) throw new Error(`${name}.exirviz is not there: python -m tests.corpus ${name}`);
  return readFile(readFileSync(path));
}

/** A comparison of two real programs, made by `python -m tests.corpus NAME.diff`. */
export async function readCompared(name: string): Promise<Changes> {
  const { sides, comparison } = JSON.parse(readFileSync(join(folder, `${name}.diff.json`), "utf8"));
  const [a, b] = sides.map((side: string) => readFile(Buffer.from(side, "base64")));
  return new Changes(comparison, [await a, await b]);
}

/** A Snapshot of the corpus with one change. */
export async function changed(
  snapshot: Snapshot,
  skeleton: (given: PageSkeleton) => Partial<PageSkeleton>,
  detail: (given: Detail) => Partial<Detail> = () => ({}),
): Promise<Snapshot> {
  const read = await snapshot.detail();
  return new Snapshot({ ...snapshot.skeleton, ...skeleton(snapshot.skeleton) }, async () => ({
    ...read,
    ...detail(read),
  }));
}
