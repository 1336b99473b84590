/**
 * Scenes of profiles: the tab in its states, the cost of a node, and colours on the picture. Times are
 * generated.
 */
import { showProfile } from "../src/explorer";
import { mountExplorer } from "../src/hosts/explorer";

import { Profile, type ProfileAccess, type ProfileRecord } from "../src/profile";
import { NO_COSTS } from "../src/profile/profile_access";
import { NodeCost, ProfilePanel } from "../src/profile/view";
import type { Snapshot } from "../src/snapshot";
import type { Actions } from "../src/ui/actions";
import { recordOf } from "../tests/profile/records";
import { type Mount, Mounted } from "./mounted";
import { nodeWhere } from "./programs";
import type { Scene } from "./scenes";

const nothing = (): void => undefined;
const ACTIONS: Actions = {
  select: nothing,
  reveal: nothing,
  revealModule: nothing,
  revealGraph: nothing,
  hover: nothing,
  search: nothing,
  copy: async () => undefined,
};
const MEASURE = { start: async () => undefined, dialect: "edge" };

/** An op's cost depends on its name and position, so that it is the same each time. */
function timesOf(snapshot: Snapshot): Record<string, number> {
  const times: Record<string, number> = {};
  for (let node = 0; node < snapshot.nodeCount; node++) {
    const isHeavy = snapshot.kind(node) === "matrix";
    times[snapshot.name(node)] = (isHeavy ? 120 : 6) + ((node * 7919) % 23);
  }
  return times;
}

/** Overhead is a twentieth; the runs differ little. */
function record(snapshot: Snapshot): ProfileRecord {
  const made = recordOf(snapshot, timesOf(snapshot));
  const sum = made.columns.time.reduce((all, each) => all + each, 0);
  const stats = (time: number) => ({
    n: 9,
    time,
    min: 0.97 * time,
    p25: 0.98 * time,
    median: time,
    p75: 1.03 * time,
  });
  return { ...made, whole: stats(1.05 * sum), overhead: stats(0.05 * sum) };
}

const profileOf = (snapshot: Snapshot): Profile => new Profile(record(snapshot), snapshot);

const panel = (costs: (snapshot: Snapshot) => Partial<ProfileAccess>) => (snapshot: Snapshot) => (
  <ProfilePanel
    {...{ snapshot }}
    actions={ACTIONS}
    detail={{ state: "busy" }}
    selection={{ kind: "nothing" }}
    costs={{ ...NO_COSTS, ...costs(snapshot) }}
  />
);

function Heat({ snapshot }: { snapshot: Snapshot }) {
  const mount: Mount = (host, appearance) => {
    const mounted = mountExplorer(host, { snapshot }, { appearance });
    mounted.ready.then((explorer) => {
      explorer.costs.take(new Map([["", profileOf(snapshot).record]]));
      void showProfile(explorer, "");
    }, nothing);
    return { dispose: () => mounted.dispose() };
  };
  return <Mounted mount={mount} />;
}

export const PROFILE_SCENES: readonly Scene[] = [
  {
    name: "profile",
    program: "bert",
    show: panel((snapshot) => ({ profile: profileOf(snapshot), measure: MEASURE })),
    size: "tall",
  },
  { name: "profile: none", program: "bert", show: panel(() => ({ measure: MEASURE })) },
  { name: "profile: none, no kernel", program: "bert", show: panel(() => ({})), size: "short" },
  {
    name: "profile: measuring",
    program: "bert",
    show: panel(() => ({ measure: MEASURE, measuring: "core" })),
    size: "short",
  },
  {
    name: "profile: error",
    program: "bert",
    show: panel((snapshot) => ({
      profile: new Profile(
        {
          ...record(snapshot),
          complete: false,
          remarks: [{ code: "failed", text: "aten.bmm has no kernel for bfloat16 on this CPU." }],
        },
        snapshot,
      ),
      problem: {
        text: "The node forward/bmm_3 (aten.bmm.default) could not run: there is no kernel for it on this CPU",
        node: "forward/bmm_3",
      },
      measure: MEASURE,
    })),
    size: "tall",
  },
  {
    name: "profile: node",
    program: "bert",
    show: (snapshot) => (
      <NodeCost
        profile={profileOf(snapshot)}
        node={nodeWhere(snapshot, (each) => snapshot.kind(each) === "matrix")}
      />
    ),
    size: "short",
  },
  { name: "profile: heat", program: "bert", show: (snapshot) => <Heat snapshot={snapshot} />, size: "page" },
];
