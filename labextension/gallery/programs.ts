/** The programs of the scenes, and the nodes, modules and selections that they show. */
import bert from "program:bert.core";
import buffers from "program:buffer_mutation.core";
import control from "program:control_flow";
import deep from "program:deep10k";
import hostile from "program:hostile_names";
import llama from "program:llama32.core";
import twice from "program:module_called_twice";
import dims from "program:related_dims";
import unbacked from "program:unbacked";
import { readFile, type Snapshot } from "../src/snapshot";

const FILES = { bert, buffers, twice, control, deep, dims, hostile, llama, unbacked };

export type Program = keyof typeof FILES;

/** Without programs that the corpus lacks: their scenes say so. */
export async function readPrograms(): Promise<ReadonlyMap<Program, Snapshot>> {
  const found = new Map<Program, Snapshot>();
  for (const name of Object.keys(FILES) as Program[]) {
    if (FILES[name].length > 0) found.set(name, await readFile(FILES[name]));
  }
  return found;
}

/** The first node that passes a test; the first of the program if none does. */
export function nodeWhere(snapshot: Snapshot, holds: (node: number) => boolean): number {
  for (let node = 0; node < snapshot.nodeCount; node++) if (holds(node)) return node;
  return 0;
}

export const scopeOf = (snapshot: Snapshot, path: string): number =>
  Math.max(
    0,
    snapshot.scopes.findIndex((scope) => scope.path === path),
  );
