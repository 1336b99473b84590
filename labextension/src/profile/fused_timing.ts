/**
 * Times that a profile does not separate: ops that were timed as one, and ops whose time is only in the
 * overhead. A module with such ops has no ratio. The rules of `exir_viz/measure/fused_timing.py`.
 */
import type { Graph } from "../snapshot";
import type { Profile } from "./profile";
import { moduleName, NO_MODULE } from "./rollup";

interface SharedTiming {
  /** Delegates with ops of the module and of others. */
  readonly shared: Set<string>;
  untimed: number;
}

/** By module: "in XNNPACK 1, which spans more; 2 ops not timed separately". */
export function mixed(profile: Profile): ReadonlyMap<string, string> {
  const { snapshot } = profile;
  const found = new Map<string, SharedTiming>();
  const of = (name: string): SharedTiming => {
    const known = found.get(name) ?? { shared: new Set(), untimed: 0 };
    found.set(name, known);
    return known;
  };
  const nameOf = ({ number, columns }: Graph) => snapshot.delegateCall(number)?.name ?? columns.name;
  for (const [graph, call] of timedAsOne(profile)) {
    const around = snapshot.scopeChain(snapshot.ownerOf(call));
    for (const node of opsIn(profile, graph)) {
      for (const scope of snapshot.scopeChain(snapshot.ownerOf(node))) {
        if (!around.includes(scope)) of(moduleName(snapshot, scope)).shared.add(nameOf(graph));
      }
    }
  }
  for (const node of untimedOps(profile)) {
    const names = snapshot.scopeChain(snapshot.ownerOf(node)).map((scope) => moduleName(snapshot, scope));
    for (const name of names.length > 0 ? names : [NO_MODULE]) of(name).untimed++;
  }
  return new Map([...found].map(([name, one]) => [name, timingText(one)]));
}

/** Ops that ran and whose time is only in the overhead. */
export function untimedOps(profile: Profile): readonly number[] {
  const { snapshot } = profile;
  const withoutTime = Array.from(profile.nodes).filter(
    (node, row) => node >= 0 && profile.at("time", row) === undefined && profile.at("calls", row) !== 0,
  );
  if (!profile.hasRest) return withoutTime;
  const method = snapshot.methods.findIndex(({ name }) => name === profile.record.method);
  const taken = new Set(snapshot.withNested(snapshot.graphs.filter(({ columns }) => columns.delegate)));
  const graphs = snapshot.graphs.filter(
    (graph) => snapshot.methodOf(graph.number) === method && !taken.has(graph),
  );
  const silent = graphs.flatMap((graph) => ownOps(graph)).filter((node) => profile.row(node) === undefined);
  return [...withoutTime, ...silent];
}

function timingText({ shared, untimed: count }: SharedTiming): string {
  const [first, ...more] = shared;
  const where =
    first === undefined
      ? ""
      : more.length
        ? `in ${first} and ${more.length} more, which span more`
        : `in ${first}, which spans more`;
  const ops = count ? `${count} ${count === 1 ? "op" : "ops"} not timed separately` : "";
  return [where, ops].filter(Boolean).join("; ");
}

/** Delegates with a time for their call and none for their ops. */
function timedAsOne(profile: Profile): (readonly [graph: Graph, call: number])[] {
  const { snapshot } = profile;
  return Array.from(profile.nodes).flatMap((call, row) => {
    if (call < 0 || profile.at("time", row) === undefined) return [];
    return snapshot
      .runBy(call)
      .filter(({ columns }) => columns.delegate)
      .filter((inner) => opsIn(profile, inner).every((node) => profile.row(node) === undefined))
      .map((inner) => [inner, call] as const);
  });
}

/** Including those of the graphs in it. */
const opsIn = ({ snapshot }: Profile, graph: Graph): readonly number[] =>
  snapshot.withNested([graph]).flatMap(ownOps);

function ownOps(graph: Graph): readonly number[] {
  return Array.from({ length: graph.count }, (_, i) => i)
    .filter((i) => graph.op(i) === "call_function" && graph.target(i).type === "op")
    .map((i) => graph.base + i);
}
