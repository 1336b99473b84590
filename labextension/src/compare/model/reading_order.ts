/** Where one reads of a match: state that is drawn on the op that reads it is read there, and not above all ops. Pure. */
import { isFoldable } from "../../picture";
import { NONE, type Snapshot } from "../../snapshot";
import type { Changes } from "./changes";

type Asked = Pick<Changes, "nodes" | "of" | "snapshots">;

/** The match of the op that the state of a match is drawn on, b's side first; of any other the match itself. */
export function readAt(changes: Asked, match: number): number {
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
