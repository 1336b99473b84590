/**
 * The profiles of one mount, by stage; without stages there is one under "". They come from a kernel or from
 * the page.
 */
import type { Snapshot } from "../snapshot";
import { Store } from "../store/store";
import { Profile } from "./profile";
import { rollup } from "./rollup";
import type { ProfileRecord } from "./schema";

export interface CostState {
  readonly records: ReadonlyMap<string, ProfileRecord>;
  /** Why the last profiling failed, and of which stage; numbers measured before that are kept. */
  readonly problem: { readonly stage: string; readonly text: string } | undefined;
}

export class Costs {
  readonly store = new Store<CostState>({ records: new Map(), problem: undefined });
  private readonly joined = new WeakMap<ProfileRecord, WeakMap<Snapshot, Profile>>();

  get isEmpty(): boolean {
    return this.store.state.records.size === 0;
  }

  /** Sets all profiles, by stage. */
  take(records: ReadonlyMap<string, ProfileRecord>): void {
    this.store.set({ records });
  }

  /** The profile of a stage with this Snapshot. */
  of(stage: string, snapshot: Snapshot): Profile | undefined {
    const record = this.store.state.records.get(stage);
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
