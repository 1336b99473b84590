/** The time of a node that holds graphs (a branch, a loop, a delegate), including everything in them. */
import type { Basis, Profile } from "./profile";

interface Within {
  /** Nanoseconds, including its own. */
  readonly time: number;
  readonly bases: readonly Basis[];
}

/** Undefined if it holds none, or none that took time. */
export function within(profile: Profile, node: number): Within | undefined {
  const { snapshot } = profile;
  const graphs = snapshot.runBy(node);
  if (graphs.length === 0) return undefined;
  const inner = snapshot
    .withNested(graphs)
    .flatMap(({ base, count }) => Array.from({ length: count }, (_, i) => base + i));
  const rows = inner.flatMap((each) => {
    const row = profile.row(each);
    return row !== undefined && profile.at("time", row) !== undefined ? [row] : [];
  });
  if (rows.length === 0) return undefined;
  const own = profile.row(node);
  const all = own === undefined ? rows : [own, ...rows];
  return {
    time: all.reduce((sum, row) => sum + (profile.at("time", row) ?? 0), 0),
    bases: [...new Set(all.map((row) => profile.basis(row)))],
  };
}
