/**
 * What took the time: nodes, ops or modules, the hottest first, each with its share and the cumulative share.
 */
import { useState } from "preact/hooks";
import { KINDS, NONE, type Snapshot, shareText, timeText } from "../../snapshot";
import type { Actions, PanelContext } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { More } from "../../ui/more";
import { Section } from "../../ui/section";
import { capitalized, visible } from "../../ui/text";
import { ownerOf } from "../module_places";
import { restOf } from "../overhead";
import type { Profile } from "../profile";
import { type By, moduleText, rollup, type Share } from "../rollup";

const KINDS_OF_LIST: readonly By[] = ["node", "op", "module"];

type Props = Omit<PanelContext, "detail"> & { readonly profile: Profile };

export function Hottest({ snapshot, actions, selection, profile }: Props) {
  const [by, setBy] = useState<By>("node");
  const shares = rollup(profile, by);
  const at = selection.kind === "node" && by === "node" ? selection.node : undefined;
  const scope = selection.kind === "module" && by === "module" ? selection.scope : undefined;
  const isCurrent = (share: Share): boolean =>
    (at !== undefined && share.nodes[0] === at) || (scope !== undefined && share.scope === scope);
  return (
    <Section
      title="Hottest"
      aside={
        <fieldset class="exirviz-switch" aria-label="Hottest by">
          {KINDS_OF_LIST.map((each) => (
            <button key={each} type="button" aria-pressed={each === by} onClick={() => setBy(each)}>
              {capitalized(each)}
            </button>
          ))}
        </fieldset>
      }
    >
      <div class="exirviz-hot" data-by={by}>
        <div class="exirviz-hot-head" aria-hidden="true">
          <span class="exirviz-hot-name">{by === "module" ? "" : by}</span>
          <span class="exirviz-hot-time">{by === "module" ? "own" : "time"}</span>
          <span class="exirviz-hot-share">share</span>
          <span class="exirviz-hot-sum">sum</span>
          {by === "module" && <span class="exirviz-hot-total">total</span>}
        </div>
        <More
          key={by}
          items={shares}
          first={10}
          of={`${by}s`}
          otherName={({ isOverhead }) => (isOverhead ? restOf(profile).name : undefined)}
          each={(share) => (
            <Entry
              key={share.key}
              profile={profile}
              share={share}
              hasTotal={by === "module"}
              isCurrent={isCurrent(share)}
              color={colorOf(snapshot, share, by)}
              text={by === "node" ? nameOf(snapshot, share) : moduleText(share.key)}
              start={by === "node" ? delegateName(snapshot, share) : ""}
              onClick={wayTo(profile, actions, share)}
            />
          )}
        />
      </div>
      {shares.some(({ isOverhead }) => !isOverhead) && (
        <p class="exirviz-dim exirviz-hot-note">
          {by === "module" ? "Own: without submodules. Total: with them. " : "Bars accumulate. "}
          <kbd>H</kbd>: next hottest op
        </p>
      )}
    </Section>
  );
}

interface EntryProps {
  readonly profile: Profile;
  readonly share: Share;
  /** Whether its content counts elsewhere. */
  readonly hasTotal: boolean;
  readonly isCurrent: boolean;
  readonly color: string;
  readonly text: string;
  /** The part of the text that distinguishes it, such as a delegate's number: other parts are cut first. */
  readonly start?: string;
  /** Undefined if there is nothing to select. */
  readonly onClick: (() => void) | undefined;
}

function Entry({ profile, share, hasTotal, isCurrent, color, text, start = "", onClick }: EntryProps) {
  const { time, total, cumulative, untimed } = share;
  const part = share.share;
  const isTimed = part !== undefined;
  const [ownText, partText] = isTimed ? [leastText(time, untimed), shareText(part)] : ["–", "–"];
  const totalText = share.isOverhead && !isTimed ? "–" : leastText(total, untimed);
  const sumText = share.isOverhead && !isTimed ? "–" : shareText(cumulative);
  const numbers = (
    <>
      <span class="exirviz-hot-time">{ownText}</span>
      <span class="exirviz-hot-track" title={`cumulative: ${sumText}`}>
        {isTimed && (
          <>
            <span class="exirviz-hot-before" style={{ width: `${100 * (cumulative - part)}%` }} />
            <span
              class="exirviz-hot-own"
              style={{ width: `max(1.5px, ${100 * part}%)`, background: color }}
            />
          </>
        )}
      </span>
      <span class="exirviz-hot-share">{partText}</span>
      <span class="exirviz-hot-sum">{sumText}</span>
      {hasTotal && <span class="exirviz-hot-total">{totalText}</span>}
    </>
  );
  if (share.isOverhead) {
    return (
      <div class="exirviz-hot-row is-overhead" title={visible(restOf(profile).holds)}>
        <span class="exirviz-hot-name">{restOf(profile).name}</span>
        {numbers}
      </div>
    );
  }
  const within = hasTotal ? `; ${totalText} in total` : "";
  const name = (
    <span class="exirviz-hot-name" {...(start && { title: visible(text) })}>
      {start && <span class="exirviz-hot-start">{visible(start)}</span>}
      <Clip text={text.slice(start.length)} />
    </span>
  );
  if (!onClick) {
    return (
      <div class="exirviz-hot-row">
        {name}
        {numbers}
      </div>
    );
  }
  const label = `${visible(text)}: ${isTimed ? `${ownText}, ${partText}` : "time unknown"}, ${sumText} cumulative${within}`;
  return (
    <button
      type="button"
      class="exirviz-hot-row"
      aria-label={label}
      aria-current={isCurrent}
      onClick={onClick}
    >
      {name}
      {numbers}
    </button>
  );
}

/** With a sign if it contains ops of unknown time. */
const leastText = (time: number | undefined, untimed: number): string =>
  time !== undefined && untimed > 0 ? `≥ ${timeText(time)}` : timeText(time);

function nameOf(snapshot: Snapshot, { nodes, key }: Share): string {
  return nodes[0] === undefined ? key : snapshot.callName(nodes[0]);
}

/** "XNNPACK 12" of the call of a delegate; "" of other nodes. */
function delegateName(snapshot: Snapshot, { nodes: [node] }: Share): string {
  const [run] = node === undefined ? [] : snapshot.runBy(node);
  return (run && snapshot.delegateCall(run.number)?.name) ?? "";
}

function colorOf(snapshot: Snapshot, { nodes, isOverhead }: Share, by: By): string {
  if (isOverhead) return "var(--exirviz-dim)";
  return by === "module" || nodes[0] === undefined
    ? "var(--exirviz-heat)"
    : KINDS[snapshot.kind(nodes[0])].color;
}

/** Selects the box of a module; the ops of other rows, and of the whole model, which has no box. */
function wayTo(profile: Profile, actions: Actions, { nodes, scope }: Share): (() => void) | undefined {
  const [node, ...more] = nodes;
  if (scope !== NONE && !profile.snapshot.isWhole(scope)) {
    return () => actions.revealModule(ownerOf(profile, scope), scope);
  }
  if (node === undefined) return undefined;
  return more.length > 0 ? () => actions.select(nodes) : () => actions.reveal(node);
}
