/** The name of a module call in rollups. */
import { modulePath } from "../picture/rollup";
import type { Snapshot } from "../snapshot";

const ROOT = "(root)";
/** The name in rollups of ops outside all modules. */
export const NO_MODULE = "(none)";

/** "layers.0", and "layers.0@1" for its second call. */
export function moduleName(snapshot: Snapshot, scope: number): string {
  const { path = "", call = 0 } = snapshot.scopes[scope] ?? {};
  const name = modulePath(path) || ROOT;
  return call ? `${name}@${call}` : name;
}
