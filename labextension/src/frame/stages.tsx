/** The stages of a mount: the strip in the bar, and below it what is busy, what failed, what was asked for. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { still } from "../canvas/still";
import type { Theme } from "../canvas/theme";
import type { Explorer } from "../explorer";
import type { Stepping } from "../explorer/stepping";
import {
  descendants,
  type Offer,
  type Options,
  type SourceState,
  type StageActions,
  type StageRecord,
  type StageTree,
  type StepKind,
} from "../stages";
import { About, Busy, Dock, Failed, Form, Steps, Strip } from "../stages/view";
import { useExplorer, usePart } from "./context";

/** What is open below the strip; `problem` is why something that was asked for was not done. */
export interface DockState {
  readonly open?: "steps" | "stage";
  /** The step whose options are being chosen. */
  readonly offer?: Offer;
  readonly problem?: string;
}

export interface StageBarProps {
  readonly stepping: Stepping;
  readonly dock: DockState;
  readonly onDock: (dock: DockState) => void;
  readonly theme: () => Theme;
}

/** The state of the source; drawn again when it changes. */
function useSource(stepping: Stepping | undefined): SourceState | undefined {
  const source = stepping?.stages.source;
  const [, draw] = useState(source?.state);
  useEffect(() => source?.subscribe(() => draw(source.state)), [source]);
  return source?.state;
}

export const useTree = (stepping: Stepping | undefined): StageTree | undefined => useSource(stepping)?.tree;

export function StageStrip({ stepping, dock, onDock }: StageBarProps): JSX.Element {
  useSource(stepping);
  const at = usePart((state) => state.stage);
  return (
    <Strip
      tree={stepping.stages.tree}
      at={at}
      actions={stepping.stages.source.actions}
      dock={dock.open}
      onGo={(stage) => {
        onDock({});
        void stepping.go(stage);
      }}
      onOffer={(offer) => choose(stepping, at, offer, onDock)}
      onDock={(open) => onDock(dock.open === open ? {} : { open })}
    />
  );
}

export function StageDock({ stepping, dock, onDock, theme }: StageBarProps): JSX.Element {
  const explorer = useExplorer();
  const progress = useSource(stepping)?.progress;
  const at = usePart((state) => state.stage);
  const record = stepping.stages.record(at);
  const { actions } = stepping.stages.source;
  return (
    <>
      {progress && (
        <Busy progress={progress} {...(typeof actions !== "string" && { onStop: () => actions.stop() })} />
      )}
      {dock.problem && <Dock isAlert label="Not done" title={dock.problem} onClose={() => onDock({})} />}
      {record?.state === "failed" && <FailedDock {...{ stepping, record, explorer, onDock }} />}
      {record && dock.open === "steps" && (
        <Steps
          record={record}
          reason={reasonOf(actions)}
          onOffer={(offer) => choose(stepping, at, offer, onDock)}
          onClose={() => onDock({})}
        />
      )}
      {record && dock.offer && typeof actions !== "string" && (
        <Form
          key={`${record.id} ${dock.offer.kind}`}
          offer={dock.offer}
          record={record}
          actions={actions}
          still={(snapshot) => still(snapshot, theme(), document)}
          onNode={nodeLinks(explorer).onNode}
          onRun={(options) => void run(stepping, at, dock.offer?.kind ?? "start", options, onDock)}
          onClose={() => onDock({})}
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
  readonly onDock: (dock: DockState) => void;
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
    <About
      key={record.id}
      record={record}
      below={descendants(stages.tree, record.id).length}
      reason={reasonOf(actions)}
      {...nodeLinks(explorer)}
      onRename={(name) => void act(actions, (to) => to.rename(record.id, name), onDock)}
      onDrop={() => void act(actions, (to) => to.drop(record.id), onDock)}
      onClose={() => onDock({})}
    />
  );
}

/** Findings name nodes of what is shown. */
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

/** A step with options asks for them first. */
function choose(stepping: Stepping, stage: string, offer: Offer, onDock: (dock: DockState) => void): void {
  if (offer.options?.length) onDock({ offer });
  else void run(stepping, stage, offer.kind, {}, onDock);
}

function run(
  stepping: Stepping,
  stage: string,
  kind: StepKind,
  options: Options,
  onDock: (dock: DockState) => void,
): Promise<void> {
  return act(stepping.stages.source.actions, (to) => made(stepping, to.run(stage, kind, options)), onDock);
}

/** What was made is looked at, be it a failure. */
async function made(stepping: Stepping, stage: Promise<string>): Promise<void> {
  await stepping.go(await stage);
}

/** What opened below the strip closes; why something could not be done is said there. */
async function act(
  actions: StageActions | string,
  what: (actions: StageActions) => Promise<void>,
  onDock: (dock: DockState) => void,
): Promise<void> {
  onDock({});
  try {
    if (typeof actions === "string") throw new Error(actions);
    await what(actions);
  } catch (problem) {
    onDock({ problem: problem instanceof Error ? problem.message : String(problem) });
  }
}
