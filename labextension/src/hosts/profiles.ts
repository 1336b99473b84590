/** Profiles from the kernel: JSON of a record for each stage. */
import type { Explorer } from "../explorer";
import { type ProfileRecord, readProfile } from "../profile";

export { showProfile } from "../explorer";

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
