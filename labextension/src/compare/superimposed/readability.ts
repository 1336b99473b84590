/**
 * Whether a superimposed graph of two programs is readable: how much changed, and how much they share. Pure.
 */
import { grouped, percent, type Snapshot } from "../../snapshot";
import { plural } from "../../snapshot/format";
import type { Changes } from "../model/changes";

interface Readability {
  /** `much`: it can be drawn, but two graphs are clearer. `unlike`: the programs share too little. */
  readonly is: "fit" | "much" | "unlike";
  /** "125 of 229 ops changed (55%)" */
  readonly share: string;
}

/**
 * Limits as shares of all ops of the graph: how many may have changed, and how many only one side may have.
 */
const MOST_CHANGED = 0.6;
const MOST_ALONE = 0.75;

export function readabilityOf(changes: Changes): Readability {
  let [all, changed, alone] = [0, 0, 0];
  for (let match = 0; match < changes.count; match++) {
    const kind = changes.kind(match);
    const side = kind === "removed" ? 0 : 1;
    const ops = changes.nodes(match, side).filter((node) => isCall(changes.snapshots[side], node)).length;
    all += ops;
    if (kind !== "same") changed += ops;
    if (kind === "added" || kind === "removed") alone += ops;
  }
  const share = `${grouped(changed)} of ${plural(all, "op")} changed (${percent(changed, all)}%)`;
  const part = (count: number): number => count / Math.max(1, all);
  if (part(alone) > MOST_ALONE) return { is: "unlike", share };
  return { is: part(changed) > MOST_CHANGED ? "much" : "fit", share };
}

function isCall(snapshot: Snapshot, node: number): boolean {
  const { graph, position } = snapshot.locate(node);
  return graph.computes(position);
}
