/**
 * The lineage of a node through all stages: its ancestors in each earlier stage, and its descendants in each
 * later one, branch by branch. Every step has its evidence; a node without an ancestor has the reason.
 */
import { NONE, type Snapshot } from "../snapshot";
import { weakest } from "./evidence";
import type { Link } from "./links";
import type { Evidence, StageRecord } from "./schema";
import { ancestry, childrenOf } from "./stage_mapping";
import type { Stages } from "./stages";

const DELEGATE_CALL = "executorch_call_delegate";

export interface TraceStep {
  readonly stage: string;
  readonly title: string;
  readonly nodes: readonly { readonly node: number; readonly name: string }[];
  /** Whether the node itself is among them; the others have the same ancestor. */
  readonly isHere: boolean;
  /** The evidence of its link to the previous step; absent at the top. */
  readonly evidence?: Evidence;
  /** Why there is nothing before it, or nothing here; or which instruction it is. */
  readonly note?: string;
  /** The number of branches between it and the first line. */
  readonly branch: number;
}

export interface NodeTrace {
  /** The earliest stage with the node, and its nodes there. */
  readonly top: { readonly stage: string; readonly snapshot: Snapshot; readonly node: number };
  readonly steps: readonly TraceStep[];
}

export async function trace(stages: Stages, stage: string, node: number): Promise<NodeTrace> {
  const above: Level[] = [{ stage, nodes: [node], links: [] }];
  for (const id of ancestry(stages.tree, stage).slice(0, -1)) {
    const links = await stages.linksOf(id);
    const [first] = above;
    const found = (first?.nodes ?? []).flatMap((each) => links.ancestors(each));
    const parent = stages.record(id)?.parent;
    if (!first || !parent || found.length === 0) break;
    first.links.push(...found);
    above.unshift({ stage: parent, nodes: unique(found), links: [] });
  }
  const steps: TraceStep[] = [];
  for (const level of above) {
    const isHere = level.stage === stage;
    const nodes = isHere ? await siblings(stages, above, node) : level.nodes;
    const note = isHere && above.length === 1 ? await reasonOf(stages, stage, node) : undefined;
    steps.push(await step(stages, level, { nodes, isHere, branch: 0, ...(note && { note }) }));
  }
  await below(stages, stage, [node], 0, steps);
  const top = above[0] ?? { stage, nodes: [node] };
  return {
    top: { stage: top.stage, snapshot: await stages.snapshot(top.stage), node: top.nodes[0] ?? node },
    steps,
  };
}

interface Level {
  readonly stage: string;
  readonly nodes: readonly number[];
  /** The links to the previous level. */
  readonly links: Link[];
}

/** The nodes with the same ancestor as a node, including itself. */
async function siblings(stages: Stages, above: readonly Level[], node: number): Promise<readonly number[]> {
  const [parent, here] = above.slice(-2);
  if (!parent || !here) return [node];
  const links = await stages.linksOf(here.stage);
  return unique([...parent.nodes.flatMap((each) => links.descendants(each)), { node }]);
}

async function below(
  stages: Stages,
  stage: string,
  nodes: readonly number[],
  branch: number,
  steps: TraceStep[],
): Promise<void> {
  const children = childrenOf(stages.tree, stage).filter(({ state }) => state !== "failed");
  for (const [i, child] of children.entries()) {
    const linked = await stages.linksOf(child.id);
    const links = nodes.flatMap((node) => linked.descendants(node));
    const level = { stage: child.id, nodes: unique(links), links };
    const note = links.length === 0 ? "no counterpart here" : undefined;
    const at = branch + (i > 0 ? 1 : 0);
    steps.push(
      await step(stages, level, { nodes: level.nodes, isHere: false, branch: at, ...(note && { note }) }),
    );
    if (links.length > 0) await below(stages, child.id, level.nodes, at, steps);
  }
}

async function reasonOf(stages: Stages, stage: string, node: number): Promise<string | undefined> {
  const { parent = null } = stages.record(stage) ?? {};
  if (parent === null) return undefined;
  const reason = (await stages.linksOf(stage)).reason(node);
  const before = stages.record(parent)?.name ?? parent;
  return `no counterpart in ${before}: ${reason ?? "no reason recorded"}`;
}

type Rest = Pick<TraceStep, "isHere" | "branch" | "note"> & { readonly nodes: readonly number[] };

async function step(
  stages: Stages,
  { stage, links }: Level,
  { nodes, note, ...rest }: Rest,
): Promise<TraceStep> {
  const snapshot = await stages.snapshot(stage);
  const record = stages.record(stage);
  const evidence = weakest(links.map((link) => link.evidence));
  const more = [note, record && instructions(record, snapshot, nodes)].filter(Boolean).join(" · ");
  return {
    stage,
    title: record?.name ?? stage,
    nodes: nodes.map((node) => ({ node, name: nameOf(snapshot, node) })),
    ...(evidence && { evidence }),
    ...(more && { note: more }),
    ...rest,
  };
}

/**
 * In a program of instructions, the indices of these: to_executorch replaces the debug handle of a call by
 * the index of its instruction. Branches have their own count, and in a delegate it is still the handle.
 */
function instructions({ dialect }: StageRecord, snapshot: Snapshot, nodes: readonly number[]): string {
  if (dialect !== "executorch") return "";
  const numbers = nodes.flatMap((node) => {
    const { graph, position } = snapshot.locate(node);
    const { type = "", name = "" } = graph.target(position) ?? {};
    const isInstruction = graph.columns.type === "method" && (type === "op" || name === DELEGATE_CALL);
    const handle = snapshot.detailNow?.graphs[graph.number]?.handles[position] ?? NONE;
    return isInstruction && handle !== NONE ? [handle] : [];
  });
  const each = [...new Set(numbers)].sort((a, b) => a - b);
  return each.length ? `instruction ${each.join(", ")}` : "";
}

/** With the graph's name if in a branch or a delegate. */
function nameOf(snapshot: Snapshot, node: number): string {
  const { graph, position } = snapshot.locate(node);
  const name = graph.name(position);
  return graph.columns.parent === NONE ? name : `${graph.columns.name} › ${name}`;
}

const unique = (links: readonly Pick<Link, "node">[]): number[] =>
  [...new Set(links.map(({ node }) => node))].sort((a, b) => a - b);
