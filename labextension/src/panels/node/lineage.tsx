/**
 * The lineage of a node: its origin as the program records it, then its counterparts in each stage. Stages
 * replace what the node alone records about them.
 */

import { useEffect, useState } from "preact/hooks";
import type { Detail } from "../../snapshot";
import type { NodeTrace } from "../../stages";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Link } from "../../ui/links";
import { Absent, Section } from "../../ui/section";
import { visible } from "../../ui/text";
import type { StageAccess } from "../actions";
import { type LineageStep, lineageOf } from "./lineage_steps";
import { StageSteps } from "./stage_steps";

/** Names in one step before the rest is counted. */
const NAMES = 6;

type LineageProps = Here & {
  readonly detail: Detail;
  readonly node: number;
  readonly stages?: StageAccess | undefined;
};

export function Lineage({ snapshot, detail, node, stages }: LineageProps) {
  const loaded = useTrace(stages, node);
  const trace = loaded?.trace;
  const top = trace && (trace.top.snapshot === snapshot ? detail : trace.top.snapshot.detailNow);
  const own = lineageOf(snapshot, detail, node);
  const steps = trace ? before(top ? lineageOf(trace.top.snapshot, top, trace.top.node) : []) : own;
  const isAlone = steps.length + (trace?.steps.length ?? 0) === 1;
  return (
    <Section title="Lineage">
      {isAlone && <Absent>No lineage recorded for this node</Absent>}
      {loaded?.problem && <Absent>Cannot read other stages: {visible(loaded.problem)}</Absent>}
      {!isAlone && (
        <ol class="exirviz-trace">
          {steps.map((step, i) => (
            <RecordedStep
              key={i}
              step={step}
              isTop={i === 0}
              {...(trace && stages && { onGo: () => stages.go(trace.top.stage, trace.top.node) })}
            />
          ))}
          {trace && stages && (
            <StageSteps trace={trace} node={node} access={stages} isFirst={steps.length === 0} />
          )}
        </ol>
      )}
    </Section>
  );
}

/** Without the node itself, which the stages show. */
const before = (steps: readonly LineageStep[]): readonly LineageStep[] =>
  steps.filter(({ type }) => type !== "this");

/** For this node; undefined until loaded, and if there are no stages. */
function useTrace(stages: StageAccess | undefined, node: number) {
  const [loaded, setLoaded] = useState<{
    of: number;
    by: StageAccess;
    trace?: NodeTrace;
    problem?: string;
  }>();
  useEffect(() => {
    if (!stages) return undefined;
    let isWanted = true;
    const set = (answer: { trace: NodeTrace } | { problem: string }): void => {
      if (isWanted) setLoaded({ of: node, by: stages, ...answer });
    };
    stages.trace(node).then(
      (trace) => set({ trace }),
      (problem: unknown) => set({ problem: problem instanceof Error ? problem.message : String(problem) }),
    );
    return () => {
      isWanted = false;
    };
  }, [stages, node]);
  return loaded?.of === node && loaded.by === stages ? loaded : undefined;
}

function RecordedStep({ step, isTop, onGo }: { step: LineageStep; isTop: boolean; onGo?: () => void }) {
  const { names, target, evidence, more, type } = step;
  const text = <Clip text={names.slice(0, NAMES).join(", ")} />;
  return (
    <li class={`exirviz-step exirviz-step-${type}`}>
      <span class="exirviz-step-name">
        {!isTop && (
          <span class="exirviz-dim" aria-hidden="true">
            ↳{" "}
          </span>
        )}
        {type === "code" && onGo ? (
          <Link title="Go to the first node from this line" onClick={onGo}>
            {text}
          </Link>
        ) : (
          text
        )}
        {names.length > NAMES && <span class="exirviz-dim"> +{names.length - NAMES}</span>}
        {target && <span class="exirviz-step-target"> {visible(target)}</span>}
      </span>
      <span class="exirviz-evidence" title={visible(evidence)}>
        {visible(evidence)}
      </span>
      {more && (
        <span class="exirviz-step-more">
          <Clip text={more} />
        </span>
      )}
    </li>
  );
}
