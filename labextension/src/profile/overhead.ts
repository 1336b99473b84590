/** The time outside nodes for each executor: its name, and what it contains. */

import { shareText, timeText } from "../snapshot";
import { plural } from "../ui/text";
import { untimedOps } from "./fused_timing";
import type { Profile } from "./profile";

interface Rest {
  readonly name: string;
  /** What nodes with a time are called. */
  readonly of: string;
  readonly holds: string;
}

/** For parts that take longer alone than together, which leaves no time for the overhead. */
export function excessText(profile: Profile, parts: number): string {
  const { overhead } = profile;
  const [of, take] = [plural(parts, restOf(profile).of), parts === 1 ? "takes" : "take"];
  return `its ${of} ${take} ${timeText(-overhead)} more when run alone (${shareText(profile.share(-overhead))})`;
}

export function restOf(profile: Profile): Rest {
  switch (profile.conditions.executor) {
    case "executorch": {
      const ops = untimedOps(profile);
      const { snapshot } = profile;
      const names = ops.slice(0, 3).map((node) => snapshot.name(node));
      const more = ops.length > names.length ? ", …" : "";
      const namesOps = ops.length
        ? `${plural(ops.length, "op")} not timed separately (${names.join(", ")}${more}) and `
        : "";
      return {
        name: "the rest",
        of: "delegate",
        holds: `time outside delegates: ${namesOps}the runtime's own work`,
      };
    }
    case "executorch.ops":
      return {
        name: "overhead",
        of: "op",
        holds:
          "the whole run minus the estimates: the runtime's own work (negative if estimates are too high)",
      };
    default:
      return {
        name: "overhead",
        of: "op",
        holds: "time outside ops: the executor, dispatch, freeing memory",
      };
  }
}
