/** The module call of each node, as Python derived it, and what it is called. */
import { modulePath } from "../picture/rollup";
import type { Snapshot } from "../snapshot";

const ROOT = "(root)";

const known = new WeakMap<Snapshot, Modules>();

/** Made once per Snapshot. */
export function modulesOf(snapshot: Snapshot): Modules {
  const modules = known.get(snapshot) ?? new Modules(snapshot);
  known.set(snapshot, modules);
  return modules;
}

export class Modules {
  constructor(private readonly snapshot: Snapshot) {}

  scopeOf(node: number): number {
    return this.snapshot.homeOf(node);
  }

  /** "layers.0", and "layers.0@1" for its second call. */
  name(scope: number): string {
    const { path = "", call = 0 } = this.snapshot.scopes[scope] ?? {};
    const name = modulePath(path) || ROOT;
    return call ? `${name}@${call}` : name;
  }
}
