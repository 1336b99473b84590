/** Why a profile has no number for a node: it computes nothing, was timed with others, or did not run. */
import { doesWork, type Graph, type Snapshot } from "../snapshot";
import { mixed } from "./fused_timing";
import type { Profile } from "./profile";
import { moduleName } from "./rollup";

/** For a node without a row. "Not timed separately: part of XNNPACK 12". */
export function missingCost(profile: Profile, node: number): string {
  const { snapshot } = profile;
  const { graph, position } = snapshot.locate(node);
  const other = otherMethod(profile, graph.number);
  if (other) return other;
  if (!works(graph, position)) return "None: computes nothing";
  const around = delegateAround(snapshot, node);
  const row = around && profile.row(around.call);
  if (!around || row === undefined) return "Not timed separately";
  if (profile.at("calls", row) === 0) return `Not run: part of ${around.name}, which did not run`;
  return profile.at("time", row) === undefined
    ? `Not timed: part of ${around.name}, whose time is unknown`
    : `Not timed separately: part of ${around.name}`;
}

/** For a module call without a row in this graph. "Not timed separately: in XNNPACK 1, which spans more". */
export function missingModuleCost(profile: Profile, scope: number, graph: number): string {
  const { snapshot } = profile;
  const other = otherMethod(profile, graph);
  if (other) return other;
  const why = mixed(profile).get(moduleName(snapshot, scope));
  if (why !== undefined) return `Not timed separately: ${why}`;
  const rows = snapshot.graphs.flatMap((each) =>
    Array.from({ length: each.count }, (_, position) => position)
      .filter((position) => works(each, position))
      .map((position) => each.base + position)
      .filter((node) => snapshot.scopeChain(snapshot.ownerOf(node)).includes(scope))
      .map((node) => profile.row(node)),
  );
  if (rows.length === 0) return "None: computes nothing";
  return rows.includes(undefined) ? "Not timed separately" : "None: no op in it ran";
}

/** Why a graph has no numbers at all: the profile is of another method. */
function otherMethod({ snapshot, record: { method } }: Profile, graph: number): string | undefined {
  const own = snapshot.methods[snapshot.methodOf(graph)]?.name;
  return own === method ? undefined : `Not measured: the profile is of method ${method}`;
}

const works = (graph: Graph, position: number): boolean =>
  graph.computes(position) && doesWork(graph.target(position));

/** The delegate around a node, or around the graphs that it is in. */
function delegateAround(snapshot: Snapshot, node: number): ReturnType<Snapshot["delegateAround"]> {
  for (let at: number | undefined = node; at !== undefined; ) {
    const found = snapshot.delegateAround(at);
    if (found) return found;
    at = snapshot.holderOf(snapshot.locate(at).graph);
  }
  return undefined;
}
