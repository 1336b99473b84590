/** The total of a profile as a sum, and the conditions of the measurement. */

import { byteText, grouped, shareText, timeText } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Message } from "../../ui/links";
import { Row, Rows, Section } from "../../ui/section";
import { capitalized, plural, visible } from "../../ui/text";
import { restOf } from "../overhead";
import type { Profile } from "../profile";
import { executorText, threadText } from "../profile_text";
import { type Remark, type Times, UNKNOWN } from "../schema";
import { isConditionKnown } from "../stage_comparison";

/** The total as time in ops and overhead, and important remarks. */
export function OneRun({ profile, ...here }: Here & { profile: Profile }) {
  const { record, conditions } = profile;
  return (
    <Section
      title="One run"
      aside={[threadText(conditions.threads), conditions.executor].filter(Boolean).join(", ")}
    >
      {record.whole ? <Whole profile={profile} times={record.whole} /> : <Part profile={profile} />}
      {record.complete === false && (
        <p class="exirviz-profile-cut">
          Incomplete: stopped before the last run.
          {!record.whole && profile.count > 0 && " Times are from first calls, which take longer."}
        </p>
      )}
      <Remarks {...here} remarks={record.remarks ?? []} />
    </Section>
  );
}

/** One is visible; several are folded, so that the measurements come first. */
function Remarks({ remarks, ...here }: Here & { remarks: readonly Remark[] }) {
  const all = remarks.map(({ code, text, node }) => (
    <p key={code} class="exirviz-profile-remark">
      <Message {...here} text={text} id={node} />
    </p>
  ));
  if (all.length < 2) return <>{all}</>;
  return (
    <details class="exirviz-details">
      <summary>{plural(all.length, "note")} on these numbers</summary>
      {all}
    </details>
  );
}

function Whole({ profile, times }: { profile: Profile; times: Times }) {
  const { whole, overhead } = profile;
  const rest = restOf(profile);
  const timed = profile.nodes.filter((_, row) => profile.at("time", row) !== undefined).length;
  return (
    <>
      <p class="exirviz-profile-whole">
        <b>{timeText(whole)}</b>
        <span class="exirviz-dim">
          {timed === 0
            ? " – no op timed separately"
            : ` = ${timeText(whole - overhead)} in ${plural(timed, rest.of)} + ${timeText(overhead)} ${rest.name} (${shareText(profile.share(overhead))})`}
        </span>
      </p>
      {timed > 0 && (
        <div class="exirviz-profile-split" aria-hidden="true">
          <span style={{ width: `${100 * (1 - profile.share(overhead))}%` }} />
        </div>
      )}
      <p class="exirviz-dim">
        Mean of {isOfAll(profile) ? "all" : "the fastest half of"} {plural(times.n, "run")}; fastest run{" "}
        {timeText(times.min)}
        {times.min > times.time && " (with interruptions by other programs, which the mean excludes)"}.{" "}
        {`${capitalized(rest.name)}: ${visible(rest.holds)}.`}
      </p>
    </>
  );
}

/** Whether runs took different paths, or the program itself caused the long ones. */
const isOfAll = ({ record }: Profile): boolean =>
  (record.remarks ?? []).some(({ code }) => code === "paths" || code === "varied");

/** An interrupted run has no total, and so no overhead. */
function Part({ profile }: { profile: Profile }) {
  const ran = profile.nodes.filter((_, row) => (profile.at("n", row) ?? 0) > 0).length;
  return (
    <p class="exirviz-profile-whole">
      <b>{timeText(profile.whole)}</b>
      <span class="exirviz-dim">
        {" "}
        in {grouped(ran)} of {plural(profile.count, "op")}; no run completed
      </span>
    </p>
  );
}

/** The conditions of the measurement. */
export function Conditions({ profile }: { profile: Profile }) {
  const { record, conditions } = profile;
  const { inputs = [], symbols = {}, load } = conditions;
  const { userNames } = profile.snapshot;
  const versions = [
    conditions.torch && `torch ${conditions.torch}`,
    conditions.executor !== "cpu" && conditions.executorch && `ExecuTorch ${conditions.executorch}`,
    conditions.python && `Python ${conditions.python}`,
  ].filter(Boolean);
  return (
    <Section title="Conditions">
      <Rows>
        <Row term="executor">{executorText(conditions.executor)}</Row>
        <Row term="threads">
          {threadText(conditions.threads) || "unknown"}
          {conditions.cores ? ` of ${plural(conditions.cores, "core")}` : ""}
        </Row>
        <Row term="runs">
          {conditions.repeats
            ? `${grouped(conditions.repeats)}${conditions.warmup === UNKNOWN ? "" : ` after ${conditions.warmup} for warm-up`}`
            : "none completed"}
        </Row>
        <Row term="inputs" note="inputs of the run">
          {inputs.map(({ path, value }) => (
            <div key={path}>
              <code>{visible(value)}</code> <span class="exirviz-dim">{visible(path)}</span>
            </div>
          ))}
          {inputs.length === 0 && (isConditionKnown(conditions, "inputs") ? "none" : "unknown")}
          {conditions.inputs_from === "made" && <div class="exirviz-dim">generated from metadata</div>}
        </Row>
        {Object.keys(symbols).length > 0 && (
          <Row term="symbols">
            {Object.entries(symbols)
              .map(([name, value]) => `${visible(userNames.get(name) ?? name)} = ${value}`)
              .join(", ")}
          </Row>
        )}
        <Row term="CPU">{visible(conditions.cpu || "unknown")}</Row>
        <Row term="load" note="one-minute load average before and after">
          {load ? `${load[0]} before, ${load[1]} after` : "unknown"}
          {load && Math.max(...load) > 2 * Math.max(1, conditions.cores ?? 1) && (
            <span class="exirviz-profile-cut"> · the machine was busy</span>
          )}
        </Row>
        <Row term="versions">{visible(versions.join(", ") || "unknown")}</Row>
        {conditions.executor === "cpu" && (
          <Row term="holds" note="Memory of state, including state in delegates, and of inputs">
            {byteText(record.state_bytes ?? 0)} of state, {byteText(record.input_bytes ?? 0)} of inputs
          </Row>
        )}
      </Rows>
    </Section>
  );
}
