/** Small parts of the panel: signs with their counts, links to the nodes of a side. */
import type { JSX } from "preact";
import { grouped } from "../../snapshot";
import { Link } from "../../ui/links";
import { visible } from "../../ui/text";
import type { Side } from "../model/changes";
import type { Comparison, Counts, MatchKind } from "../model/schema";
import { CHANGE_KINDS, type ChangeKind, isChange, signOf, textColorOf } from "./change_colors";
import { useMeasured, useMeasuring, usePairView } from "./context";

/** A kind in words. Ops that a backend took have moved too: into a delegate. */
export function useKindText(): (kind: MatchKind) => string {
  const [before, after] = usePairView().pair.changes.snapshots;
  const isLowered = after.hasDelegates && !before.hasDelegates;
  return (kind) => (kind === "moved" && isLowered ? "delegated or moved" : kind);
}

export function Sign({ kind }: { kind: MatchKind }): JSX.Element {
  const { isDark } = usePairView();
  const kindText = useKindText();
  return (
    <span
      class="exirviz-sign"
      title={kindText(kind)}
      {...(isChange(kind) && { style: { color: textColorOf(kind, isDark) } })}
    >
      {signOf(kind)}
    </span>
  );
}

/** "+12 −3 ~64": the count of each kind of change. */
export function CountsText({ counts }: { counts: Counts }): JSX.Element {
  const there = CHANGE_KINDS.filter((kind) => counts[kind]);
  return (
    <span class="exirviz-counts">
      {there.map((kind) => (
        <Count key={kind} kind={kind} count={counts[kind] ?? 0} />
      ))}
      {there.length === 0 && <span class="exirviz-dim">no change</span>}
    </span>
  );
}

/** "+8 −7": calls of ops added and removed, as beside the stage; without any, the changes by kind. */
export function CallsText({ comparison }: { comparison: Comparison }): JSX.Element {
  const { added = 0, removed = 0 } = comparison.calls ?? {};
  if (added + removed === 0) return <CountsText counts={comparison.counts} />;
  return (
    <span class="exirviz-counts" title={`Calls of ops: ${grouped(added)} added, ${grouped(removed)} removed`}>
      <Count kind="added" count={added} /> <Count kind="removed" count={removed} />
    </span>
  );
}

function Count({ kind, count }: { kind: ChangeKind; count: number }): JSX.Element {
  const { isDark } = usePairView();
  const kindText = useKindText();
  return (
    <b style={{ color: textColorOf(kind, isDark) }} title={`${grouped(count)} ${kindText(kind)}`}>
      {signOf(kind)} {grouped(count)}
    </b>
  );
}

/** The choice of the current pair. */
export function PairChoice(): JSX.Element {
  const { columns, pair } = usePairView();
  return (
    <fieldset class="exirviz-pairs" aria-label="Pair of columns to describe">
      {columns.row.pairs.map(({ at, changes }) => {
        const title = `${visible(columns.title(at))} → ${visible(columns.title(at + 1))}`;
        return (
          <button
            key={at}
            type="button"
            class={at === pair.at ? "exirviz-rule is-it" : "exirviz-rule"}
            aria-pressed={at === pair.at}
            title={title}
            onClick={() => columns.showPair(at)}
          >
            <b class="exirviz-rule-text">{title}</b>
            <CountsText counts={changes.comparison.counts} />
          </button>
        );
      })}
    </fieldset>
  );
}

/** The names of a match's nodes on a side; each selects the match. */
export function Names({ match, side, most = 8 }: { match: number; side: Side; most?: number }): JSX.Element {
  const { columns, pair } = usePairView();
  const nodes = pair.changes.nodes(match, side);
  const snapshot = pair.changes.snapshots[side];
  return (
    <>
      {nodes.slice(0, most).map((node, i) => (
        <span key={node}>
          {i > 0 && ", "}
          <Link
            onClick={() => {
              columns.lead(pair.at + side);
              void pair.explorers[side].reveal(node);
            }}
          >
            {visible(snapshot.name(node))}
          </Link>
        </span>
      ))}
      {nodes.length > most && <span class="exirviz-dim"> and {nodes.length - most} more</span>}
    </>
  );
}

/** Shows text between backticks as code. */
export function Quoted({ text }: { text: string }): JSX.Element {
  const parts = text.split("`");
  return <>{parts.map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>;
}

/** The measurement of both programs that runs. */
export function RunningBoth({ preparing = "Preparing both programs" }: { preparing?: string }): JSX.Element {
  const measuring = useMeasuring();
  const progress = useMeasured((state) => state.progress);
  const part = progress?.fraction;
  return (
    <div class="exirviz-running" role="status">
      <span class="exirviz-running-text">{visible(progress?.text || preparing)}</span>
      <button type="button" class="exirviz-panel-button" onClick={() => measuring.stop()}>
        Stop
      </button>
      <span class={`exirviz-progress ${part === undefined ? "is-open" : ""}`} aria-hidden="true">
        <span style={part === undefined ? undefined : { width: `${100 * part}%` }} />
      </span>
    </div>
  );
}

/** Why the last one failed. `delegate`: the one that the run was about; undefined for a run of both programs. */
export function Problem({ delegate }: { delegate?: number | undefined }): JSX.Element | null {
  const problem = useMeasured((state) => (state.problemOf === delegate ? state.problem : ""));
  return problem ? (
    <p class="exirviz-bad exirviz-measure-problem" role="alert">
      {visible(problem)}
    </p>
  ) : null;
}
