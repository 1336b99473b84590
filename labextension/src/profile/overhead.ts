/** The time outside nodes for each executor: its name, and what it contains. */

import { plural } from "../ui/text";
import { untimedOps } from "./fused_timing";
import type { Profile } from "./profile";

interface Rest {
  readonly name: string;
  /** What nodes with a time are called. */
  readonly of: string;
  readonly holds: string;
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
    default:
      return {
        name: "overhead",
        of: "op",
        holds: "time outside ops: the executor, dispatch, freeing memory",
      };
  }
}
