/** Lineage steps that are stages: each node is a link, and inferred links look different from exact ones. */

import { evidenceText, isInferred, type NodeTrace, type TraceStep } from "../../stages";
import { Clip } from "../../ui/clip";
import { Link } from "../../ui/links";
import { visible } from "../../ui/text";
import type { StageAccess } from "../actions";

/** Names in one step before the rest is counted. */
const NAMES = 6;

export function StageSteps({
  trace,
  node,
  access,
  isFirst,
}: {
  trace: NodeTrace;
  node: number;
  access: StageAccess;
  /** Whether there is no step above these. */
  isFirst: boolean;
}) {
  return (
    <>
      {trace.steps.map((step, i) => (
        <StageStep
          key={`${step.stage} ${i}`}
          step={step}
          node={node}
          access={access}
          isTop={isFirst && i === 0}
        />
      ))}
    </>
  );
}

function StageStep({
  step,
  node,
  access,
  isTop,
}: {
  step: TraceStep;
  node: number;
  access: StageAccess;
  isTop: boolean;
}) {
  const { stage, title, nodes, isHere, evidence, note, branch } = step;
  const inferred = evidence !== undefined && isInferred(evidence);
  const shown = firstOf(nodes, isHere ? node : undefined);
  const words = [visible(title), evidence && evidenceText(evidence)].filter(Boolean).join(" · ");
  return (
    <li
      class={`exirviz-step exirviz-step-stage ${inferred ? "is-inferred" : ""}`}
      style={branch ? { marginLeft: `${Math.min(4, branch) * 12}px` } : undefined}
      aria-current={isHere ? "step" : undefined}
    >
      <span class="exirviz-step-name">
        {!isTop && (
          <span class="exirviz-dim" aria-hidden="true">
            {inferred ? "⇢ " : "↳ "}
          </span>
        )}
        <span class="exirviz-step-nodes">
          {shown.map((each) =>
            isHere && each.node === node ? (
              <b key={each.node}>
                <Clip text={each.name} />
              </b>
            ) : (
              <Link
                key={each.node}
                title={visible(`${each.name} in ${title}`)}
                onClick={() => access.go(stage, each.node)}
              >
                <Clip text={each.name} />
              </Link>
            ),
          )}
          {nodes.length > shown.length && <span class="exirviz-dim"> +{nodes.length - shown.length}</span>}
          {nodes.length === 0 && <span class="exirviz-absent">–</span>}
        </span>
      </span>
      <span class="exirviz-evidence" title={words}>
        {words}
      </span>
      {note && (
        <span class="exirviz-step-more">
          <span class="exirviz-step-note">{visible(note)}</span>
        </span>
      )}
    </li>
  );
}

/** The first few, including the selected one. */
function firstOf(nodes: TraceStep["nodes"], here: number | undefined): TraceStep["nodes"] {
  const first = nodes.slice(0, NAMES);
  const own = nodes.find((each) => each.node === here);
  return own && !first.includes(own) ? [...first.slice(0, -1), own] : first;
}
