/** The data of a method's timeline: ops in order, their modules, delegates, times and memory. */
import { delegateColors, type Laid } from "../overlay";
import { type Arena, arenas, type Profile } from "../profile";
import type { DelegateCall, Graph, Snapshot } from "../snapshot";
import { evenEdges, timeEdges } from "./axis";
import { type Live, liveOf, type Times, timesOf } from "./costs";
import { type Sequence, sequenceOf } from "./sequence";

export interface Timeline {
  readonly sequence: Sequence;
  readonly times: Times | undefined;
  readonly live: Live | undefined;
  /** Empty without a memory plan. */
  readonly arenas: readonly Arena[];
  readonly delegateColor: (call: DelegateCall) => Laid;
  /** Where each op begins with equal widths, and with widths by time. */
  readonly even: Float64Array;
  readonly byTime: Float64Array | undefined;
}

const known = new WeakMap<Graph, Sequence>();

/** The method's graph that contains a graph. */
export const methodGraph = (snapshot: Snapshot, graph: number): Graph =>
  snapshot.graph(snapshot.methods[snapshot.methodOf(graph)]?.graph ?? 0);

export function timelineOf(snapshot: Snapshot, graph: Graph, profile: Profile | undefined): Timeline {
  const sequence = known.get(graph) ?? sequenceOf(snapshot, graph);
  known.set(graph, sequence);
  const method = snapshot.methodOf(graph.number);
  const times = timesOf(sequence, profile);
  return {
    sequence,
    times,
    live: liveOf(sequence, profile, snapshot.skeleton.page?.memory?.[method]),
    arenas: arenas(snapshot, snapshot.methods[method]?.name ?? ""),
    delegateColor: delegateColors(snapshot).laid,
    even: evenEdges(sequence.nodes.length),
    byTime: times && timeEdges(times.own),
  };
}
