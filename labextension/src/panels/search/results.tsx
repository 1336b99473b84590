/** The search results as a list: name, value, module; the current one is marked. */

import { KINDS } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { List } from "../../ui/list";
import { Busy, Empty, Failed } from "../../ui/states";
import { visible } from "../../ui/text";

const ROW_HEIGHT = 38;

interface ResultsProps extends Here {
  /** Undefined while the search runs. */
  readonly nodes: ArrayLike<number> | undefined;
  readonly at: number;
  readonly problem?: string | undefined;
  readonly onPick: (index: number) => void;
}

export function Results({ snapshot, actions, nodes, at, problem, onPick }: ResultsProps) {
  if (problem) return <Failed what="Search failed" why={problem} />;
  if (!nodes) return <Busy what="Searching…" />;
  if (nodes.length === 0) {
    return (
      <Empty title="No matches">
        Fields match whole words: op:mm does not find addmm, op:*mm does. Press ? for search help.
      </Empty>
    );
  }
  return (
    <List
      class="exirviz-search-results"
      label="Results"
      count={nodes.length}
      rowHeight={ROW_HEIGHT}
      reveal={at}
      row={(index) => {
        const node = nodes[index] ?? 0;
        const scope = snapshot.scopes[snapshot.ownerOf(node)];
        return (
          <button
            key={index}
            type="button"
            class={index === at ? "exirviz-result exirviz-result-it" : "exirviz-result"}
            aria-current={index === at ? "true" : undefined}
            onClick={() => onPick(index)}
            onMouseEnter={() => actions.hover(node)}
            onMouseLeave={() => actions.hover(undefined)}
          >
            <span class="exirviz-kind-dot" style={{ background: KINDS[snapshot.kind(node)].color }} />
            <span class="exirviz-result-name">
              <Clip text={snapshot.name(node)} />
            </span>
            <code class="exirviz-dim">{visible(snapshot.valueText(node))}</code>
            <span class="exirviz-result-place">
              <Clip text={scope ? scope.path || "the whole model" : snapshot.locate(node).graph.path} />
            </span>
          </button>
        );
      }}
    />
  );
}
