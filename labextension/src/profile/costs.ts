/**
 * The profiles of one mount, by stage; without stages there is one under "". They come from a kernel or from
 * the page.
 */
import type { Snapshot, SymbolValues } from "../snapshot";
import { Store } from "../store/store";
import { Profile } from "./profile";
import type { MeasureProblem } from "./profile_access";
import { rollup } from "./rollup";
import type { ProfileRecord } from "./schema";
import { type CostsAtSizes, costsAtSizes } from "./size_profiles";

export interface CostState {
  readonly records: ReadonlyMap<string, ProfileRecord>;
  /** Why the last profiling failed, and of which stage; numbers measured before that are kept. */
  readonly problem: (MeasureProblem & { readonly stage: string }) | undefined;
}

export class Costs {
  readonly store = new Store<CostState>({ records: new Map(), problem: undefined });
  /** By stage: all its profiles, if it was measured with several sizes. */
  private readonly bySizes = new Map<string, ProfileRecord[]>();
  private readonly atSizes = new WeakMap<SymbolValues, Map<string, CostsAtSizes | undefined>>();
  private readonly joined = new WeakMap<ProfileRecord, WeakMap<Snapshot, Profile>>();

  get isEmpty(): boolean {
    return this.store.state.records.size === 0;
  }

  /** Sets all profiles, each with its stage. The first of a stage is its main one; the others have other sizes. */
  take(profiles: Iterable<readonly [string, ProfileRecord]>): void {
    const records = new Map<string, ProfileRecord>();
    this.bySizes.clear();
    for (const [stage, record] of profiles) {
      if (!records.has(stage)) records.set(stage, record);
      this.bySizes.set(stage, [...(this.bySizes.get(stage) ?? []), record]);
    }
    this.store.set({ records });
  }

  /** The costs for other sizes of the symbols; undefined if nothing was measured. */
  at(stage: string, snapshot: Snapshot, sizes: SymbolValues): CostsAtSizes | undefined {
    const known = this.atSizes.get(sizes) ?? new Map<string, CostsAtSizes | undefined>();
    this.atSizes.set(sizes, known);
    const records = this.bySizes.get(stage) ?? [];
    if (!known.has(stage)) {
      const { userNames } = snapshot;
      const torchNames = new Map([...userNames].map(([torch, users]) => [users, torch]));
      const named = new Map([...sizes].map(([name, size]) => [torchNames.get(name) ?? name, size]));
      known.set(
        stage,
        costsAtSizes(records, named, (name) => userNames.get(name) ?? name),
      );
    }
    return known.get(stage);
  }

  /** The profile of a stage with this Snapshot; with `sizes`, the costs for these. */
  of(stage: string, snapshot: Snapshot, sizes?: SymbolValues): Profile | undefined {
    const record = sizes ? this.at(stage, snapshot, sizes)?.record : this.store.state.records.get(stage);
    if (!record) return undefined;
    const known = this.joined.get(record) ?? new WeakMap<Snapshot, Profile>();
    this.joined.set(record, known);
    const profile = known.get(snapshot) ?? new Profile(record, snapshot);
    known.set(snapshot, profile);
    return profile;
  }
}

/**
 * The node that is so many places hotter or less hot than the selected one; the hottest if none is selected.
 */
export function nextHottest(profile: Profile, selected: number | undefined, by: 1 | -1): number | undefined {
  const nodes = rollup(profile, "node").flatMap((share) => share.nodes);
  const at = selected === undefined ? -1 : nodes.indexOf(selected);
  if (at < 0) return by > 0 ? nodes[0] : nodes.at(-1);
  return nodes[(at + by + nodes.length) % nodes.length];
}
