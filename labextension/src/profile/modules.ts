/** How a module call is called in rollups. */
import { modulePath } from "../picture/rollup";
import type { Snapshot } from "../snapshot";

const ROOT = "(root)";
/** What rollups call ops that no module has. */
export const NO_MODULE = "(none)";

/** "layers.0", and "layers.0@1" for its second call. */
export function moduleName(snapshot: Snapshot, scope: number): string {
  const { path = "", call = 0 } = snapshot.scopes[scope] ?? {};
  const name = modulePath(path) || ROOT;
  return call ? `${name}@${call}` : name;
}
