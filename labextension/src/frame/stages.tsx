/** The stages of a mount: the strip in the bar, and below it the running step, a failure, or an open form. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { still } from "../canvas/image";
import type { Theme } from "../canvas/theme";
import type { Explorer } from "../explorer";
import { StageScrub } from "../explorer/stage_scrub";
import type { Stepping } from "../explorer/stepping";
import {
  descendants,
  type Offer,
  type Options,
  type SourceState,
  type StageActions,
  type StageRecord,
  type StageTree,
  whyNotLive,
} from "../stages";
import {
  Busy,
  Deleted,
  Dock,
  Failed,
  type FinalAction,
  Form,
  StageDetails,
  Steps,
  Strip,
} from "../stages/view";
import { visible } from "../ui/text";
import { useExplorer, usePart } from "./context";

/** What is open over the picture. `problem`: why a request failed. */
export interface DockState {
  readonly open?: "steps" | "stage";
  /** The step whose options are shown, and their values at a failed attempt. */
  readonly offer?: Offer;
  readonly options?: Options;
  readonly problem?: string;
}

export type SetDock = (dock: DockState | ((now: DockState) => DockState)) => void;

interface StageBarProps {
  readonly stepping: Stepping;
  readonly dock: DockState;
  readonly onDock: SetDock;
  readonly theme: () => Theme;
  /** Whether the user prefers reduced motion. */
  readonly isCalm: () => boolean;
}

/** The state of the source; rerenders when it changes. */
export function useSource(stepping: Stepping | undefined): SourceState | undefined {
  const source = stepping?.stages.source;
  const [, draw] = useState(source?.state);
  useEffect(() => source?.subscribe(() => draw(source.state)), [source]);
  return source?.state;
}

export const useTree = (stepping: Stepping | undefined): StageTree | undefined => useSource(stepping)?.tree;

export function StageStrip({ stepping, dock, onDock, isCalm }: StageBarProps): JSX.Element {
  const explorer = useExplorer();
  useSource(stepping);
  const at = usePart((state) => state.stage);
  return (
    <Strip
      tree={stepping.stages.tree}
      at={at}
      actions={stepping.stages.source.actions}
      isStepping={dock.open === "steps"}
      onGo={(stage) => {
        onDock({});
        void stepping.go(stage);
      }}
      onDrag={(line) => {
        onDock({});
        return new StageScrub(explorer, stepping, line, isCalm());
      }}
      onSteps={() => onDock(dock.open === "steps" ? {} : { open: "steps" })}
      onCompare={stepping.whyNotCompared() || (() => stepping.compare())}
    />
  );
}

/** Messages below the strip until they are over: a running step, a failed one. */
export function StageNotices({ stepping, onDock }: StageBarProps): JSX.Element {
  const explorer = useExplorer();
  const { progress, dropped = [] } = useSource(stepping) ?? {};
  const at = usePart((state) => state.stage);
  const record = stepping.stages.record(at);
  const { actions } = stepping.stages.source;
  return (
    <>
      {progress && (
        <Busy
          progress={progress}
          of={stepping.stages.record(progress.stage)?.name}
          {...(typeof actions !== "string" && { onStop: () => actions.stop() })}
        />
      )}
      {dropped.length > 0 && typeof actions !== "string" && (
        <Deleted names={dropped} onUndo={() => void act(actions, (to) => to.restore(), onDock)} />
      )}
      {record?.state === "failed" && <FailedDock {...{ stepping, record, explorer, onDock }} />}
    </>
  );
}

/** The open form or list, over the picture. */
export function StageDock({ stepping, dock, onDock, theme }: StageBarProps): JSX.Element {
  const explorer = useExplorer();
  useSource(stepping);
  const at = usePart((state) => state.stage);
  const record = stepping.stages.record(at);
  const { actions } = stepping.stages.source;
  const close = (): void => onDock({});
  const isForm = record && dock.offer && typeof actions !== "string";
  return (
    <>
      {dock.problem && !isForm && (
        <Dock isAlert label="Action failed" title={visible(dock.problem)} onClose={close} />
      )}
      {record && dock.open === "steps" && (
        <Steps
          record={record}
          reason={reasonOf(actions)}
          onOffer={(offer) => chooseOffer(stepping, at, offer, onDock)}
          finals={finalActions(explorer, stepping, at, onDock)}
          onClose={close}
        />
      )}
      {isForm && dock.offer && (
        <Form
          key={`${record.id} ${dock.offer.kind}`}
          offer={dock.offer}
          record={record}
          actions={actions}
          {...(dock.options && { options: dock.options })}
          {...(dock.problem && { problem: dock.problem })}
          still={(snapshot) => still(snapshot, theme(), document)}
          onNode={nodeLinks(explorer).onNode}
          onRun={(options) => dock.offer && void run(stepping, at, dock.offer, options, onDock)}
          onClose={close}
        />
      )}
      {record && dock.open === "stage" && <AboutDock {...{ stepping, record, explorer, onDock }} />}
    </>
  );
}

interface Docked {
  readonly stepping: Stepping;
  readonly explorer: Explorer;
  readonly record: StageRecord;
  readonly onDock: SetDock;
}

function FailedDock({ stepping, explorer, record, onDock }: Docked): JSX.Element {
  const { stages } = stepping;
  const { actions } = stages.source;
  const parent = record.parent === null ? undefined : stages.record(record.parent);
  return (
    <Failed
      key={record.id}
      record={record}
      parent={parent}
      reason={reasonOf(actions)}
      {...nodeLinks(explorer)}
      onFix={({ options }) => {
        const again = { kind: record.step.kind, options };
        if (parent) void act(actions, (to) => made(stepping, to.run(parent.id, again.kind, options)), onDock);
      }}
      onBack={() => void (parent && stepping.go(parent.id))}
    />
  );
}

function AboutDock({ stepping, explorer, record, onDock }: Docked): JSX.Element {
  const { stages } = stepping;
  const { actions } = stages.source;
  return (
    <StageDetails
      key={record.id}
      record={record}
      below={descendants(stages.tree, record.id).length}
      reason={reasonOf(actions)}
      {...nodeLinks(explorer)}
      onRename={(name) => void act(actions, (to) => to.rename(record.id, name), onDock)}
      onDrop={() => void act(actions, (to) => to.drop(record.id), onDock)}
      onCopy={async (text) => navigator.clipboard.writeText(text)}
      onSave={async (what) => {
        if (typeof actions === "string") throw new Error(actions);
        return await actions.save(what);
      }}
      onClose={() => onDock({})}
    />
  );
}

/** Actions for a program that the runtime can run. */
export function finalActions(
  explorer: Explorer,
  stepping: Stepping,
  stage: string,
  onDock: SetDock,
): FinalAction[] {
  const { source } = stepping.stages;
  const record = stepping.stages.record(stage);
  if (record?.dialect !== "executorch") return [];
  const reason = reasonOf(source.actions) || whyNotLive(record);
  const edge = record.edge_stage === undefined ? undefined : stepping.stages.record(record.edge_stage);
  const compare = edge && {
    title: `Compare with ${edge.name}`,
    about: "Show both stages side by side, with what changed",
    reason: stepping.whyNotCompared([edge.id, stage]),
    run: () => stepping.onCompare?.([edge.id, stage]),
  };
  return [
    {
      title: "Save .pte…",
      about: "Write the file that the ExecuTorch runtime loads",
      reason,
      run: () => onDock({ open: "stage" }),
    },
    {
      title: "Profile in the runtime…",
      about: "Time its instructions and delegates in the ExecuTorch runtime",
      reason,
      run: () => {
        onDock({});
        explorer.store.set({ tab: "cost", isPanelOpen: true });
      },
    },
    ...(compare ? [compare] : []),
  ];
}

/** Findings name nodes of the program that is shown. */
function nodeLinks(explorer: Explorer) {
  return {
    has: (node: string) => explorer.snapshot.find(node) !== undefined,
    onNode: (name: string) => {
      const node = explorer.snapshot.find(name);
      if (node === undefined) return;
      explorer.store.set({ tab: "node" });
      void explorer.reveal(node);
    },
  };
}

const reasonOf = (actions: StageActions | string): string => (typeof actions === "string" ? actions : "");

/** A step with options shows them first. */
export function chooseOffer(stepping: Stepping, stage: string, offer: Offer, onDock: SetDock): void {
  if (offer.options?.length) onDock({ offer });
  else void run(stepping, stage, offer, {}, onDock);
}

/** After a failed attempt the form is shown again with its values, unless something else was opened. */
async function run(
  stepping: Stepping,
  stage: string,
  offer: Offer,
  options: Options,
  onDock: SetDock,
): Promise<void> {
  const again = offer.options?.length ? { offer, options } : {};
  await act(
    stepping.stages.source.actions,
    (to) => made(stepping, to.run(stage, offer.kind, options)),
    onDock,
    (now) => (isClosed(now) && stepping.shows(stage) ? again : now),
  );
}

const isClosed = ({ open, offer }: DockState): boolean => !open && !offer;

/** Shows the new stage, also if it failed. */
async function made(stepping: Stepping, stage: Promise<string>): Promise<void> {
  await stepping.go(await stage);
}

/** Closes the open form; shows there why an action failed. */
async function act(
  actions: StageActions | string,
  what: (actions: StageActions) => Promise<void>,
  onDock: SetDock,
  back: (now: DockState) => DockState = (now) => now,
): Promise<void> {
  onDock({});
  try {
    if (typeof actions === "string") throw new Error(actions);
    await what(actions);
  } catch (problem) {
    const text = problem instanceof Error ? problem.message : String(problem);
    onDock((now) => ({ ...back(now), problem: text }));
  }
}
