/** Ops with their counts as small bars; each selects its nodes. */
import { useMemo } from "preact/hooks";
import { grouped, KINDS, type Snapshot } from "../snapshot";
import type { Actions } from "../ui/actions";
import { More } from "../ui/more";
import { Wrapped } from "../ui/wrapped";
import { countOps } from "./modules";

export function Ops({
  snapshot,
  actions,
  nodes,
}: {
  snapshot: Snapshot;
  actions: Actions;
  nodes: readonly number[];
}) {
  const counts = useMemo(() => countOps(snapshot, nodes), [snapshot, nodes]);
  const most = Math.max(1, ...counts.map(({ nodes: of }) => of.length));
  return (
    <div class="exirviz-bars">
      <More
        items={counts}
        first={8}
        of="kinds of node"
        each={({ name, kind, nodes: of }) => (
          <button
            key={name}
            type="button"
            class="exirviz-bar-row"
            title={`Select ${grouped(of.length)} of ${name}`}
            onClick={() => actions.select(of)}
          >
            <span class="exirviz-bar-name">
              <span class="exirviz-kind-dot" style={{ background: KINDS[kind].color }} />
              <Wrapped text={name} />
            </span>
            <span class="exirviz-bar-track">
              <span style={{ width: `${(100 * of.length) / most}%`, background: KINDS[kind].color }} />
            </span>
            <span class="exirviz-bar-count">{grouped(of.length)}</span>
          </button>
        )}
      />
    </div>
  );
}
