/** Profiles from the kernel: JSON of a record for each stage; and showing one. */
import type { Explorer } from "../explorer";
import { FIRST_MEASURE, MEASURES, type ProfileRecord, readProfile } from "../profile";

/** All profiles; they replace the previous ones. */
export function takeProfiles(
  explorer: Explorer,
  stages: readonly string[],
  buffers: readonly DataView[],
): void {
  const records = new Map<string, ProfileRecord>();
  stages.forEach((id, i) => {
    const data = buffers[i];
    if (data) records.set(id, readProfile(data));
  });
  explorer.costs.take(records);
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
