/**
 * The lineage of a node through all stages: its ancestors in each earlier stage, and its descendants in each
 * later one, branch by branch. Every step has its evidence; a node without an ancestor has the reason.
 */
import { isInstruction, NONE, type Snapshot } from "../snapshot";
import { weakest } from "./evidence";
import type { Link } from "./links";
import { EVIDENCE, type Evidence, type StageRecord } from "./schema";
import { ancestry, childrenOf } from "./stage_mapping";
import type { Stages } from "./stages";

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
  const levels = await traceLevels(stages, stage, node);
  const here = levels.findIndex((level) => level.stage === stage);
  const steps = levels.map(async (level, i) => {
    const isHere = i === here;
    const nodes = isHere ? await siblings(stages, levels[i - 1], level) : level.nodes;
    return step(stages, { ...level, nodes }, isHere);
  });
  const top = levels[0] ?? { stage, nodes: [node] };
  return {
    top: { stage: top.stage, snapshot: await stages.snapshot(top.stage), node: top.nodes[0] ?? node },
    steps: await Promise.all(steps),
  };
}

/** The node in one stage. */
interface Level {
  readonly stage: string;
  readonly nodes: readonly number[];
  /** Of the links to their ancestors in the stage before. */
  readonly evidence: readonly Evidence[];
  readonly branch: number;
  /** Why they have no ancestors, if known. */
  readonly reason?: string;
}

type StageLinks = Pick<Stages, "tree" | "linksOf">;

/**
 * A level per stage: the earliest that has the node first, then all that were made from this one. The rule of
 * `exir_viz/stages/node_trace.py`, with the same cases.
 */
export async function traceLevels(stages: StageLinks, stage: string, node: number): Promise<Level[]> {
  const levels: Level[] = [];
  let nodes: readonly number[] = [node];
  for (const id of ancestry(stages.tree, stage)) {
    const hasParent = stages.tree.stages.some((each) => each.id === id && each.parent !== null);
    const linked = hasParent ? await stages.linksOf(id) : undefined;
    const links = linked ? nodes.flatMap((each) => linked.ancestors(each)) : [];
    const level = { stage: id, nodes, evidence: kindsOf(links), branch: 0 };
    if (links.length === 0) {
      const reason = linked && nodes.map((each) => linked.reason(each)).find(Boolean);
      levels.unshift(reason ? { ...level, reason } : level);
      break;
    }
    levels.unshift(level);
    nodes = unique(links);
  }
  await below(stages, stage, [node], 0, levels);
  return levels;
}

/** The nodes with the same ancestor as a node, including itself. */
async function siblings(
  stages: Stages,
  parent: Level | undefined,
  { stage, nodes }: Level,
): Promise<readonly number[]> {
  if (!parent) return nodes;
  const links = await stages.linksOf(stage);
  const own = nodes.map((node) => ({ node }));
  return unique([...parent.nodes.flatMap((each) => links.descendants(each)), ...own]);
}

async function below(
  stages: StageLinks,
  stage: string,
  nodes: readonly number[],
  branch: number,
  levels: Level[],
): Promise<void> {
  const children = childrenOf(stages.tree, stage).filter(({ state }) => state !== "failed");
  for (const [i, child] of children.entries()) {
    const linked = await stages.linksOf(child.id);
    const links = nodes.flatMap((node) => linked.descendants(node));
    const at = branch + (i > 0 ? 1 : 0);
    const level = { stage: child.id, nodes: unique(links), evidence: kindsOf(links), branch: at };
    levels.push(level);
    if (links.length > 0) await below(stages, child.id, level.nodes, at, levels);
  }
}

async function step(stages: Stages, level: Level, isHere: boolean): Promise<TraceStep> {
  const { stage, nodes, branch } = level;
  const snapshot = await stages.snapshot(stage);
  const record = stages.record(stage);
  const evidence = weakest(level.evidence);
  const note = [missing(stages, level), record && instructions(record, snapshot, nodes)]
    .filter(Boolean)
    .join(" · ");
  return {
    stage,
    title: record?.name ?? stage,
    nodes: nodes.map((node) => ({ node, name: nameOf(snapshot, node) })),
    isHere,
    branch,
    ...(evidence && { evidence }),
    ...(note && { note }),
  };
}

/** Where counterparts are missing: of its nodes in the stage before, or of the node in this stage. */
function missing(stages: Stages, { stage, nodes, evidence, reason }: Level): string {
  if (nodes.length === 0) return "no counterpart here";
  const parent = stages.record(stage)?.parent ?? null;
  if (parent === null || evidence.length > 0) return "";
  return `no counterpart in ${stages.record(parent)?.name ?? parent}: ${reason ?? "no reason recorded"}`;
}

/**
 * In a program of instructions, the indices of these: to_executorch replaces the debug handle of a call by
 * the index of its instruction. Branches have their own count, and in a delegate it is still the handle.
 */
function instructions({ dialect }: StageRecord, snapshot: Snapshot, nodes: readonly number[]): string {
  if (dialect !== "executorch") return "";
  const numbers = nodes.flatMap((node) => {
    const { graph, position } = snapshot.locate(node);
    const handle = snapshot.detailNow?.graphs[graph.number]?.handles[position] ?? NONE;
    const isOne = graph.columns.type === "method" && isInstruction(graph.target(position));
    return isOne && handle !== NONE ? [handle] : [];
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

const kindsOf = (links: readonly Link[]): Evidence[] =>
  EVIDENCE.filter((kind) => links.some(({ evidence }) => evidence === kind));
