/** What a node or a module costs, as the inspector says it. */
import { Absent, Row, Rows, Section } from "../../panels/parts/section";
import { plural } from "../../panels/parts/text";
import { byteText, grouped } from "../../snapshot";
import type { Profile } from "../profile";
import { rollup } from "../rollup";
import { BASIS_TEXT, executorText, flopText, shareText, spreadText, threadText, timeText } from "../words";

export function NodeCost({ profile, node }: { profile: Profile; node: number }) {
  const row = profile.row(node);
  if (row === undefined) {
    return (
      <Section title="Cost">
        <Absent>None: it computes nothing, or was not run.</Absent>
      </Section>
    );
  }
  const at = (column: Parameters<Profile["at"]>[0]): number | undefined => profile.at(column, row);
  const [time, calls, flops, moved] = [at("time"), at("calls"), at("flops"), at("bytes_moved")];
  const basis = profile.basis(row);
  const work = [
    flops !== undefined && flopText(flops),
    moved !== undefined && `${byteText(moved)} moved`,
    flops !== undefined && moved ? `${Number((flops / moved).toPrecision(2))} FLOP/B` : false,
  ].filter(Boolean);
  return (
    <Section title="Cost" aside={basis === "measured" ? undefined : basis}>
      <Rows>
        <Row term="time">
          {time === undefined ? (
            <Absent>not known</Absent>
          ) : (
            <>
              <b>{timeText(time)}</b> · {shareText(profile.share(time))} of the run
            </>
          )}
          <div class="ev-dim">{spreadText(profile, row)}</div>
        </Row>
        {calls !== undefined && calls !== 1 && (
          <Row term="calls">
            {calls === 0 ? "never in this run" : `${grouped(calls)} in one run; the time is of all`}
          </Row>
        )}
        <Row term="work">{work.length ? work.join(" · ") : <Absent>not counted</Absent>}</Row>
        <Row term="memory">
          {byteText(at("allocated_bytes"))} new · {byteText(at("live_bytes"))} alive after it
        </Row>
        <Row term="how">
          {BASIS_TEXT[basis]} <span class="ev-dim">by {how(profile)}</span>
        </Row>
      </Rows>
    </Section>
  );
}

export function ModuleCost({ profile, scope }: { profile: Profile; scope: number }) {
  const share = rollup(profile, "module").find((each) => each.scope === scope);
  return (
    <Section title="Cost">
      {share ? (
        <Rows>
          <Row term="time">
            <b>{timeText(share.total)}</b> · {shareText(profile.share(share.total))} of the run
          </Row>
          <Row term="its own">
            {timeText(share.time)} in {plural(share.nodes.length, "op")} that no module in it has
          </Row>
          <Row term="how">
            the sum of its ops, <span class="ev-dim">by {how(profile)}</span>
          </Row>
        </Rows>
      ) : (
        <Absent>None: nothing in it was run.</Absent>
      )}
    </Section>
  );
}

const how = ({ conditions }: Profile): string =>
  `${executorText(conditions.executor)}, ${threadText(conditions.threads)}`;
