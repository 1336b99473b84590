/** The nodes of a method in execution order, as Python derived them: `execution_steps.py`. */
import type { Graph } from "./graph";
import type { Snapshot } from "./snapshot";

/** A step is a position in the method's graph, unless it has branches or loop bodies with nodes of their own. */
export interface ExecutionSteps {
  readonly count: number;
  /** The number of the node that runs at a step. */
  readonly nodeAt: (step: number) => number;
  /** The step of a node; undefined for one that a delegate runs. */
  readonly stepOf: (node: number) => number | undefined;
}

export function executionSteps(snapshot: Snapshot, { number, base, count }: Graph): ExecutionSteps {
  const { steps = [] } = snapshot.skeleton.page?.memory?.[snapshot.methodOf(number)] ?? {};
  if (steps.length === 0)
    return {
      count,
      nodeAt: (step) => base + step,
      stepOf: (node) => (base <= node && node < base + count ? node - base : undefined),
    };
  const stepOf = new Map(steps.map((node, step) => [node, step]));
  return { count: steps.length, nodeAt: (step) => steps[step] ?? base, stepOf: (node) => stepOf.get(node) };
}
