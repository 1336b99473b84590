/** Where a match is read: state that is drawn on an op is read there, not above all ops. Pure. */
import { isFoldable } from "../../picture";
import { NONE, type Snapshot } from "../../snapshot";
import type { Changes } from "./changes";

type MatchedNodes = Pick<Changes, "nodes" | "of" | "snapshots">;

/** The match of the op that draws the state of a match, b's side first; for any other the match itself. */
export function readAt(changes: MatchedNodes, match: number): number {
  for (const side of [1, 0] as const) {
    const [node] = changes.nodes(match, side);
    if (node === undefined) continue;
    const op = readerOf(changes.snapshots[side], node);
    const of = op === undefined ? NONE : changes.of(side, op);
    return of === NONE ? match : of;
  }
  return match;
}

/** The first op that reads a piece of state. */
function readerOf(snapshot: Snapshot, node: number): number | undefined {
  const { graph, position } = snapshot.locate(node);
  if (!isFoldable(snapshot, graph, position)) return undefined;
  const [user] = graph.usersOf(position);
  return user === undefined ? undefined : graph.base + user;
}
