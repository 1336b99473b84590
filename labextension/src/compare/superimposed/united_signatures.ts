/**
 * The signature of a united graph. A chip has no outline of its own, so the sign of changed state is part of
 * its name: "−W 64×64". Pure.
 */

import { stateLetter } from "../../picture";
import type { Graph, InputSpec, Signature } from "../../snapshot";
import type { Changes, Side } from "../model/changes";
import { isChange, signOf } from "../view/change_colors";
import type { SidedNode } from "./united_graph";

/** Specs in the order of the placeholders; a removed one has its name in the united graph. */
export function uniteSignatures(
  changes: Changes,
  graphs: readonly [Graph | undefined, Graph | undefined],
  nodes: readonly SidedNode[],
  names: readonly string[],
): { readonly signature?: Signature } {
  const inputs = nodes.flatMap(({ side, position }, i): InputSpec[] => {
    const graph = graphs[side];
    if (graph?.op(position) !== "placeholder") return [];
    const spec = changes.snapshots[side].inputSpec(graph.base + position);
    return spec ? [signed(changes, side, graph.base + position, renamed(spec, names[i] ?? ""))] : [];
  });
  const outputs = graphs[1]?.columns.signature?.outputs;
  const signature = { ...(inputs.length && { inputs }), ...(outputs && { outputs }) };
  return Object.keys(signature).length ? { signature } : {};
}

const renamed = (spec: InputSpec, name: string): InputSpec => ({ ...spec, arg: { ...spec.arg, name } });

function signed(changes: Changes, side: Side, node: number, spec: InputSpec): InputSpec {
  const kind = changes.kindOf(side, node);
  if (!spec.target || !isChange(kind)) return spec;
  const path = spec.target.slice(0, spec.target.lastIndexOf(".") + 1);
  return { ...spec, target: `${path}${signOf(kind)}${stateLetter(spec.target)}` };
}
