/** A message about a program: it keeps its line breaks, and ids of nodes become links. */
import type { Here } from "./actions";
import { NodeLink } from "./links";
import { visibleLines } from "./text";

/** "forward/linear", "forward/branch/add_1": a graph's path, and a name. */
const ID = /(\w[\w.]*(?:\/[\w.]*\w)+)/;

export function Message({ text, ...here }: Here & { text: string }) {
  return (
    <>
      {text.split(ID).map((part, at) => {
        const node = at % 2 ? here.snapshot.find(part) : undefined;
        if (node === undefined) return visibleLines(part);
        return (
          <NodeLink key={`${at} ${part}`} {...here} node={node}>
            {part}
          </NodeLink>
        );
      })}
    </>
  );
}
