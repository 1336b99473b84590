/** Profiles from the kernel: JSON of a record for each stage; and showing one. */
import type { Explorer } from "../explorer";
import { FIRST_MEASURE, MEASURES, type ProfileRecord, readProfile } from "../profile";

/** All profiles; they replace the previous ones. A stage that was measured with several sizes is in the list repeatedly. */
export function takeProfiles(
  explorer: Explorer,
  stages: readonly string[],
  buffers: readonly DataView[],
): void {
  const profiles = stages.flatMap((id, i): [string, ProfileRecord][] => {
    const data = buffers[i];
    return data ? [[id, readProfile(data)]] : [];
  });
  explorer.costs.take(profiles);
}

/** Shows its stage, colours the boxes by time, and opens the panel's tab. */
export async function showProfile(explorer: Explorer, stage: string): Promise<void> {
  const { stepping } = explorer;
  if (stepping && !stepping.stages.record(stage)) return; // deleted meanwhile
  if (stepping && stepping.shownId() !== stage) await stepping.go(stage);
  const { overlay } = explorer.state;
  const isPainted = MEASURES.some(({ name }) => name === overlay.name);
  explorer.store.set({
    tab: "profile",
    ...(!isPainted && { overlay: { ...overlay, name: FIRST_MEASURE } }),
  });
}
