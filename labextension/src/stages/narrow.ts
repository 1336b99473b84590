/** `unknown` → the records of stages. Data that does not match the schema is refused with its path. */
import { isEvidence } from "./evidence";
import type { Evidence, Lineage, Orphan, StageRecord, StageTree } from "./schema";

export class UnreadableStages extends Error {
  override readonly name = "UnreadableStages";
}

export function asTree(raw: unknown): StageTree {
  const { stages } = record(raw, "the tree of stages");
  if (!Array.isArray(stages) || stages.length === 0) throw new UnreadableStages("There are no stages.");
  const known = new Set<string>();
  const read = stages.map((each: unknown, i) => {
    const stage = asStage(each, `stage ${i}`);
    if (known.has(stage.id)) throw new UnreadableStages(`Two stages are called ${stage.id}.`);
    if (stage.parent !== null && !known.has(stage.parent)) {
      throw new UnreadableStages(`Stage ${stage.id} comes before its parent.`);
    }
    known.add(stage.id);
    return stage;
  });
  return { stages: read };
}

function asStage(raw: unknown, where: string): StageRecord {
  const { id, name, parent, state, step } = record(raw, where);
  const { kind, title } = record(step, `the step of ${where}`);
  const hasState = state === "ready" || state === "failed" || state === "loaded";
  const hasTexts = [id, name, kind, title].every((each) => typeof each === "string");
  if (!hasTexts || !hasState || !(parent === null || typeof parent === "string")) {
    throw new UnreadableStages(`${where} has an unexpected format.`);
  }
  return raw as StageRecord;
}

/** `of` and `parent`: how many nodes the two Snapshots have. */
export function asLineage(raw: unknown, of: number, parent: number): Lineage {
  const { nodes = [], ancestors = [], evidence = [], kinds = [], orphans = [] } = record(raw, "a lineage");
  const read: Required<Lineage> = {
    nodes: numbers(nodes, of, "nodes"),
    ancestors: numbers(ancestors, parent, "ancestors"),
    kinds: texts(kinds),
    evidence: numbers(evidence, (kinds as unknown[]).length, "evidence"),
    orphans: Array.isArray(orphans) ? orphans.map((each: unknown) => asOrphan(each, of)) : [],
  };
  if (read.nodes.length !== read.ancestors.length || read.nodes.length !== read.evidence.length) {
    throw new UnreadableStages("The columns of a lineage are not equally long.");
  }
  return read;
}

function asOrphan(raw: unknown, of: number): Orphan {
  const { node, reason } = record(raw, "an orphan");
  if (!isBelow(node, of) || typeof reason !== "string") {
    throw new UnreadableStages("An orphan of a lineage names no node or no reason.");
  }
  return { node, reason };
}

function numbers(raw: unknown, below: number, what: string): readonly number[] {
  if (Array.isArray(raw) && raw.every((each) => isBelow(each, below))) return raw;
  throw new UnreadableStages(`The ${what} of a lineage must be numbers below ${below}.`);
}

function texts(raw: unknown): readonly Evidence[] {
  if (Array.isArray(raw) && raw.every(isEvidence)) return raw;
  throw new UnreadableStages("A lineage names evidence that this viewer does not know.");
}

const isBelow = (x: unknown, below: number): x is number =>
  Number.isInteger(x) && (x as number) >= 0 && (x as number) < below;

function record(raw: unknown, what: string): Record<string, unknown> {
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>;
  throw new UnreadableStages(`Expected ${what}, got something else.`);
}
