/** The panel of a profile: what was measured and how, hot spots, memory, and the comparison of stages. */
import type { PanelContext } from "../../ui/actions";
import { Message } from "../../ui/links";
import { plural, visible } from "../../ui/text";
import { NO_COSTS, type ProfileAccess } from "../profile_access";
import { Arenas } from "./arenas";
import { Conditions, OneRun } from "./conditions";
import { HotPath } from "./hotpath";
import { Hottest } from "./hottest";
import { MeasureForm } from "./measure";
import { Memory } from "./memory";
import { StageTable } from "./stages";

type ProfilePanelProps = PanelContext & {
  readonly costs?: ProfileAccess | undefined;
};

export function ProfilePanel({ costs = NO_COSTS, detail, ...here }: ProfilePanelProps) {
  const { profile, problem, measuring, measure } = costs;
  const isMeasuring = measuring !== undefined;
  const selected = here.selection.kind === "node" ? here.selection.node : undefined;
  return (
    <article class="exirviz-panel" aria-label="Profile">
      {isMeasuring && (
        <p class="exirviz-measuring">
          Profiling {visible(measuring)}. Progress and Stop are above the graph.
        </p>
      )}
      {problem && (
        <p class="exirviz-profile-problem" role="alert">
          <Message {...here} text={problem.text} id={problem.node} />
        </p>
      )}
      {profile ? (
        <>
          <OneRun {...here} profile={profile} />
          <Hottest {...here} profile={profile} />
          <HotPath {...here} profile={profile} />
          <Memory {...here} profile={profile} selected={selected} />
        </>
      ) : (
        !isMeasuring && <Nothing costs={costs} />
      )}
      {detail.state === "ready" && (
        <Arenas
          {...here}
          method={profile?.record.method ?? here.snapshot.methods[0]?.name ?? ""}
          selected={selected}
        />
      )}
      {costs.stages.length > (profile ? 1 : 0) && <StageTable {...here} costs={costs} />}
      {profile && <Conditions profile={profile} />}
      {!isMeasuring && <MeasureForm measure={measure} last={profile?.conditions} />}
    </article>
  );
}

function Nothing({ costs }: { costs: ProfileAccess }) {
  const others = costs.stages.length;
  return (
    <div class="exirviz-state">
      <p class="exirviz-state-title">{others > 0 ? "No profile at this stage" : "No profile yet"}</p>
      <p class="exirviz-dim">
        Measure time, FLOPs and memory per op and module.
        {others > 0 && ` ${plural(others, "other stage")} ${others === 1 ? "has" : "have"} one.`}
      </p>
    </div>
  );
}
