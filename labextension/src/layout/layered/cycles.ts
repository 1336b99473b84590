/**
 * Which edges run against the flow: a set whose removal leaves no cycle. A data-flow program has none, but
 * groups can (one module called twice, drawn once). Depth-first in input order, so the earlier item stays
 * above.
 */

import { type Csr, groupBy } from "../csr";

const UNSEEN = 0;
const OPEN = 1;
const DONE = 2;

export function backEdges(nodes: number, from: ArrayLike<number>, to: ArrayLike<number>): Uint8Array {
  const back = new Uint8Array(to.length);
  const leaving: Csr = groupBy(nodes, from, to.length);
  const state = new Uint8Array(nodes);
  const cursor = leaving.start.slice(0, nodes);
  const stack: number[] = [];
  for (let s = 0; s < nodes; s++) {
    if (state[s] !== UNSEEN) continue;
    stack.push(s);
    state[s] = OPEN;
    while (stack.length) {
      const u = stack[stack.length - 1]!;
      if (cursor[u] === leaving.start[u + 1]) {
        state[u] = DONE;
        stack.pop();
        continue;
      }
      const e = leaving.item[cursor[u]!++]!;
      const v = to[e]!;
      if (state[v] === OPEN) back[e] = 1;
      else if (state[v] === UNSEEN) {
        state[v] = OPEN;
        stack.push(v);
      }
    }
  }
  return back;
}
