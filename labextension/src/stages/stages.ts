/**
 * The stages of one mount: their Snapshots and lineages, each loaded once on demand, and the tree. Stages
 * that the kernel deletes are released here too.
 */
import { readSections, type Snapshot } from "../snapshot";
import { Links } from "./links";
import { asLineage, UnreadableStages } from "./narrow";
import type { StageRecord, StageTree } from "./schema";
import type { StageSource } from "./source";
import { NO_MAPPING, StageMapping, wayBetween } from "./stage_mapping";

export class Stages {
  /** Called with the Snapshot of a deleted stage. */
  onDeleted: (snapshot: Snapshot) => void = () => undefined;
  private readonly snapshots = new Map<string, Promise<Snapshot>>();
  private readonly links = new Map<string, Promise<Links>>();
  private readonly off: () => void;

  constructor(readonly source: StageSource) {
    this.off = source.subscribe(() => this.forget());
  }

  get tree(): StageTree {
    return this.source.state.tree;
  }

  record(stage: string): StageRecord | undefined {
    return this.tree.stages.find(({ id }) => id === stage);
  }

  /** The stage whose Snapshot is shown for this one: itself, or its parent if it failed. */
  shown(stage: string): StageRecord {
    const record = shownOf(this.tree, stage);
    if (!record) throw new UnreadableStages(`Stage ${stage} was deleted.`);
    return record;
  }

  /** With its detail, by which the picture groups lines: all stages are grouped the same way. */
  snapshot(stage: string): Promise<Snapshot> {
    return once(this.snapshots, stage, async () => {
      const snapshot = await readSections(
        () => this.source.skeleton(stage),
        () => this.source.detail(stage),
        async () => this.source.page?.(stage),
        this.source.reports?.(stage),
      );
      await snapshot.detail().catch(() => undefined); // the caller that needs the detail gets the error
      return snapshot;
    });
  }

  async mapping(from: string, to: string): Promise<StageMapping> {
    const { up, down } = wayBetween(this.tree, from, to);
    if (up.length + down.length === 0 && from !== to) return NO_MAPPING;
    const all = await Promise.all([...up, ...down].map((stage) => this.linksOf(stage)));
    return new StageMapping(all.slice(0, up.length), all.slice(up.length));
  }

  /** The links to the parent of a stage that has one. */
  linksOf(stage: string): Promise<Links> {
    return once(this.links, stage, async () => {
      const parent = this.record(stage)?.parent;
      if (!parent) throw new UnreadableStages(`Stage ${stage} has no parent.`);
      const [raw, stageSnapshot, parentSnapshot] = await Promise.all([
        this.source.lineage(stage),
        this.snapshot(stage),
        this.snapshot(parent),
      ]);
      return new Links(asLineage(raw, stageSnapshot.nodeCount, parentSnapshot.nodeCount));
    });
  }

  dispose(): void {
    this.off();
    this.snapshots.clear();
    this.links.clear();
  }

  private forget(): void {
    const there = new Set(this.tree.stages.map(({ id }) => id));
    for (const [id, snapshot] of this.snapshots) {
      if (!there.has(id)) void snapshot.then(this.onDeleted, () => undefined); // nothing to release if it was never loaded
    }
    for (const known of [this.snapshots, this.links]) {
      for (const id of known.keys()) if (!there.has(id)) known.delete(id);
    }
  }
}

export function shownOf({ stages }: StageTree, stage: string): StageRecord | undefined {
  const record = stages.find(({ id }) => id === stage);
  if (record?.state !== "failed" || record.parent === null) return record;
  return shownOf({ stages }, record.parent);
}

/** A failed attempt may be repeated. */
function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? make();
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}
