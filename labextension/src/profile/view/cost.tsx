/** The cost of a node or a module in the inspector. */

import { useMemo } from "preact/hooks";
import { amountText, byteText, flopText, grouped, shareText, timeText } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Link } from "../../ui/links";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import { mixed } from "../fused_timing";
import { missingCost, missingModuleCost } from "../missing_cost";
import { type Place, placesOf } from "../module_places";
import { within } from "../nested_cost";
import type { Profile } from "../profile";
import { BASIS_TEXT, basisText, executorText, spreadText, threadText } from "../profile_text";
import { rollup, type Share } from "../rollup";

export function NodeCost({ profile, node }: { profile: Profile; node: number }) {
  const row = profile.row(node);
  if (row === undefined) {
    return (
      <Section title="Cost">
        <Absent>{visible(missingCost(profile, node))}</Absent>
      </Section>
    );
  }
  const at = (column: Parameters<Profile["at"]>[0]): number | undefined => profile.at(column, row);
  const [time, calls, flops, moved] = [at("time"), at("calls"), at("flops"), at("bytes_moved")];
  const basis = profile.basis(row);
  const inner = within(profile, node);
  const never = calls === 0;
  const work = [
    flops !== undefined && flopText(flops),
    moved !== undefined && `${byteText(moved)} moved`,
    flops !== undefined && moved ? `${amountText(flops / moved)} FLOP/B` : false,
  ].filter(Boolean);
  return (
    <Section title="Cost" aside={never || basis === "measured" ? undefined : basis}>
      <Rows>
        <Row term={inner ? "own" : "time"}>
          {time === undefined ? (
            <Absent>{never ? "not run" : "not measurable"}</Absent>
          ) : (
            <>
              <b>{timeText(time)}</b> · {shareText(profile.share(time))} of the run
            </>
          )}
          <div class="exirviz-dim">{spreadText(profile, row)}</div>
        </Row>
        {inner && (
          <Row term="incl. nested">
            <b>{timeText(inner.time)}</b> · {shareText(profile.share(inner.time))} of the run
            {basisText(inner.bases) && <span class="exirviz-dim"> · {basisText(inner.bases)}</span>}
          </Row>
        )}
        {calls !== undefined && calls !== 1 && (
          <Row term="calls">
            {never
              ? "none: another branch ran, or the run ended early"
              : `${grouped(calls)} per run; time is their sum`}
          </Row>
        )}
        <Row term="work">{work.length ? work.join(" · ") : <Absent>not counted</Absent>}</Row>
        <Row term="memory">
          {byteText(at("allocated_bytes"))} allocated · {byteText(at("live_bytes"))} live afterwards
        </Row>
        <Row term="how">
          {never ? "" : `${BASIS_TEXT[basis]} `}
          <span class="exirviz-dim">by {how(profile)}</span>
        </Row>
      </Rows>
    </Section>
  );
}

interface ModuleProps extends Here {
  readonly profile: Profile;
  /** The graph that contains its box. */
  readonly graph: number;
  readonly scope: number;
}

export function ModuleCost({ profile, graph, scope, ...by }: ModuleProps) {
  const share = rollup(profile, "module").find((each) => each.scope === scope);
  const { here, elsewhere } = useMemo(() => placesOf(profile, scope, graph), [profile, scope, graph]);
  return (
    <Section title="Cost">
      {share ? (
        <Rows>
          {elsewhere.length > 0 && (
            <Row term="time here" note="in this box">
              <Part profile={profile} part={here} />
            </Row>
          )}
          {elsewhere.map((part) => (
            <Row key={part.graph} term="elsewhere" note="time of this module outside this box">
              <Part profile={profile} part={part} /> in{" "}
              <Link onClick={() => by.actions.revealModule(part.graph, scope)}>
                <Clip text={by.snapshot.graph(part.graph).columns.name} />
              </Link>
            </Row>
          ))}
          <Row term={elsewhere.length > 0 ? "total" : "time"}>
            <b>{timeText(share.total)}</b> ·{" "}
            {shareText(share.total === undefined ? undefined : profile.share(share.total))} of the run
            <Why profile={profile} share={share} />
          </Row>
          <Row term="own">
            {timeText(share.time)} in {plural(share.nodes.length, "op")} outside its submodules
          </Row>
          <Row term="how">
            sum of its ops, <span class="exirviz-dim">by {how(profile)}</span>
          </Row>
        </Rows>
      ) : (
        <Absent>{visible(missingModuleCost(profile, scope, graph))}</Absent>
      )}
    </Section>
  );
}

function Part({ profile, part: { time, bases } }: { profile: Profile; part: Place }) {
  if (bases.size === 0) return <Absent>not timed separately</Absent>;
  const basis = basisText([...bases]);
  return (
    <>
      <b>{timeText(time)}</b> · {shareText(profile.share(time))}
      {basis && <span class="exirviz-dim"> · {basis}</span>}
    </>
  );
}

/** Which part of a module's time is shared, missing or not measured. */
function Why({ profile, share }: { profile: Profile; share: Share }) {
  const why = mixed(profile).get(share.key);
  const basis = basisText([...share.bases]);
  return (
    <>
      {why && <div class="exirviz-dim">excludes: {visible(why)}</div>}
      {basis && <div class="exirviz-dim">{basis}</div>}
    </>
  );
}

const how = ({ conditions }: Profile): string =>
  [executorText(conditions.executor), threadText(conditions.threads)].filter(Boolean).join(", ");
