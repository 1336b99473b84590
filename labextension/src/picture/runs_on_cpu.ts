/** Which ops of a lowered program no backend runs, and which delegates have one op: as Python counted them. */
import type { GraphNumber, NodeNumber, Snapshot } from "../snapshot";

export interface RunsOnCpu {
  readonly nodes: ReadonlySet<NodeNumber>;
  /** Numbers of the graphs of delegates with one op. */
  readonly small: ReadonlySet<GraphNumber>;
}

const NOTHING: RunsOnCpu = { nodes: new Set(), small: new Set() };
const known = new WeakMap<Snapshot, RunsOnCpu>();

/** Empty if nothing is delegated: then "on the CPU" distinguishes nothing. */
export function runsOnCpu(snapshot: Snapshot): RunsOnCpu {
  const found = known.get(snapshot) ?? read(snapshot);
  known.set(snapshot, found);
  return found;
}

function read(snapshot: Snapshot): RunsOnCpu {
  const { delegation } = snapshot.skeleton.page ?? {};
  if (!delegation?.delegates.length) return NOTHING;
  return {
    nodes: new Set(delegation.cpu.flatMap(({ nodes }) => nodes)),
    small: new Set(delegation.delegates.filter(({ ops }) => ops === 1).map(({ graph }) => graph)),
  };
}
