/**
 * The line of sight as a ladder: how the program itself says that a node came to be, then what it was and became in
 * each stage. What the stages tell replaces what the node alone remembers of them.
 */
import { useEffect, useState } from "preact/hooks";
import type { Detail } from "../../snapshot";
import type { Ladder } from "../../stages";
import type { Here, StageSight } from "../actions";
import { Clip } from "../parts/clip";
import { Absent, Section } from "../parts/section";
import { visible } from "../parts/text";
import { lineOfSight, type Rung } from "./lineage";
import { StageRungs } from "./rungs";

/** Names on one rung before the rest is counted. */
const NAMES = 6;

type SightProps = Here & {
  readonly detail: Detail;
  readonly node: number;
  readonly stages?: StageSight | undefined;
};

export function Sight({ snapshot, detail, node, stages }: SightProps) {
  const told = useLadder(stages, node);
  const ladder = told?.ladder;
  const top = ladder && (ladder.top.snapshot === snapshot ? detail : ladder.top.snapshot.detailNow);
  const own = lineOfSight(snapshot, detail, node);
  const rungs = ladder ? before(top ? lineOfSight(ladder.top.snapshot, top, ladder.top.node) : []) : own;
  const isAlone = rungs.length + (ladder?.rungs.length ?? 0) === 1;
  return (
    <Section title="Lineage">
      {isAlone && <Absent>No lineage recorded for this node</Absent>}
      {told?.problem && <Absent>Cannot read other stages: {visible(told.problem)}</Absent>}
      {!isAlone && (
        <ol class="ev-ladder">
          {rungs.map((rung, i) => (
            <MadeRung
              key={i}
              rung={rung}
              isTop={i === 0}
              {...(ladder && stages && { onGo: () => stages.go(ladder.top.stage, ladder.top.node) })}
            />
          ))}
          {ladder && stages && (
            <StageRungs ladder={ladder} node={node} sight={stages} isFirst={rungs.length === 0} />
          )}
        </ol>
      )}
    </Section>
  );
}

/** Without the node itself, which the stages show. */
const before = (rungs: readonly Rung[]): readonly Rung[] => rungs.filter(({ type }) => type !== "this");

/** Of this node; undefined while nobody knows, and where there are no stages. */
function useLadder(stages: StageSight | undefined, node: number) {
  const [told, tell] = useState<{ of: number; by: StageSight; ladder?: Ladder; problem?: string }>();
  useEffect(() => {
    if (!stages) return undefined;
    let isWanted = true;
    const set = (answer: { ladder: Ladder } | { problem: string }): void => {
      if (isWanted) tell({ of: node, by: stages, ...answer });
    };
    stages.ladder(node).then(
      (ladder) => set({ ladder }),
      (problem: unknown) => set({ problem: problem instanceof Error ? problem.message : String(problem) }),
    );
    return () => {
      isWanted = false;
    };
  }, [stages, node]);
  return told?.of === node && told.by === stages ? told : undefined;
}

function MadeRung({ rung, isTop, onGo }: { rung: Rung; isTop: boolean; onGo?: () => void }) {
  const { names, target, evidence, more, type } = rung;
  const text = <Clip text={names.slice(0, NAMES).join(", ")} />;
  return (
    <li class={`ev-rung ev-rung-${type}`}>
      <span class="ev-rung-name">
        {!isTop && (
          <span class="ev-dim" aria-hidden="true">
            ↳{" "}
          </span>
        )}
        {type === "code" && onGo ? (
          <button type="button" class="ev-link" title="Go to the first node from this line" onClick={onGo}>
            {text}
          </button>
        ) : (
          text
        )}
        {names.length > NAMES && <span class="ev-dim"> +{names.length - NAMES}</span>}
        {target && <span class="ev-rung-target"> {visible(target)}</span>}
      </span>
      <span class="ev-evidence" title={visible(evidence)}>
        {visible(evidence)}
      </span>
      {more && (
        <span class="ev-rung-more">
          <Clip text={more} />
        </span>
      )}
    </li>
  );
}
