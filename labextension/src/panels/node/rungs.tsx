/** Rungs of the line of sight that are stages: each node a link, what is inferred told apart from what is exact. */
import { isInferred, type Ladder, type StageRung, said } from "../../stages";
import type { StageSight } from "../actions";
import { Clip } from "../parts/clip";
import { visible } from "../parts/text";

/** Names on one rung before the rest is counted. */
const NAMES = 6;

export function StageRungs({
  ladder,
  node,
  sight,
  isFirst,
}: {
  ladder: Ladder;
  node: number;
  sight: StageSight;
  /** Whether no rung stands above these. */
  isFirst: boolean;
}) {
  return (
    <>
      {ladder.rungs.map((rung, i) => (
        <Rung key={`${rung.stage} ${i}`} rung={rung} node={node} sight={sight} isTop={isFirst && i === 0} />
      ))}
    </>
  );
}

function Rung({
  rung,
  node,
  sight,
  isTop,
}: {
  rung: StageRung;
  node: number;
  sight: StageSight;
  isTop: boolean;
}) {
  const { stage, title, nodes, isHere, evidence, note, branch } = rung;
  const inferred = evidence !== undefined && isInferred(evidence);
  const shown = firstOf(nodes, isHere ? node : undefined);
  const words = [visible(title), evidence && said(evidence)].filter(Boolean).join(" · ");
  return (
    <li
      class={`ev-rung ev-rung-stage ${inferred ? "is-inferred" : ""}`}
      style={branch ? { marginLeft: `${Math.min(4, branch) * 12}px` } : undefined}
      aria-current={isHere ? "step" : undefined}
    >
      <span class="ev-rung-name">
        {!isTop && (
          <span class="ev-dim" aria-hidden="true">
            {inferred ? "⇢ " : "↳ "}
          </span>
        )}
        <span class="ev-rung-nodes">
          {shown.map((each) =>
            isHere && each.node === node ? (
              <b key={each.node}>
                <Clip text={each.name} />
              </b>
            ) : (
              <button
                type="button"
                key={each.node}
                class="ev-link"
                title={visible(`${each.name} in ${title}`)}
                onClick={() => sight.go(stage, each.node)}
              >
                <Clip text={each.name} />
              </button>
            ),
          )}
          {nodes.length > shown.length && <span class="ev-dim"> +{nodes.length - shown.length}</span>}
          {nodes.length === 0 && <span class="ev-absent">–</span>}
        </span>
      </span>
      <span class="ev-evidence" title={words}>
        {words}
      </span>
      {note && (
        <span class="ev-rung-more">
          <span class="ev-rung-note">{visible(note)}</span>
        </span>
      )}
    </li>
  );
}

/** The first few, the one that is looked at among them. */
function firstOf(nodes: StageRung["nodes"], here: number | undefined): StageRung["nodes"] {
  const first = nodes.slice(0, NAMES);
  const own = nodes.find((each) => each.node === here);
  return own && !first.includes(own) ? [...first.slice(0, -1), own] : first;
}
