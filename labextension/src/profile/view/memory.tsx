/** Live bytes during the run, as a small drawing; the peak is marked, and each point selects its op. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { byteText } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { NodeLink } from "../../ui/links";
import { Absent, Row, Rows, Section } from "../../ui/section";
import { visible } from "../../ui/text";
import { writer } from "../arenas";
import { peak, type Step, timeline } from "../memory";
import type { Profile } from "../profile";
import { Scrub } from "./scrub";

const WIDTH = 320;
const HEIGHT = 64;

export function Memory({
  profile,
  selected,
  ...here
}: Here & { profile: Profile; selected: number | undefined }) {
  const most = useMemo(() => peak(profile), [profile]);
  const peaked = most && (profile.nodes[most.row] ?? -1);
  const node = peaked === undefined || peaked < 0 ? undefined : writer(here.snapshot, peaked);
  if (!most) {
    return (
      <Section title="Memory">
        <Absent>{whyNot(profile)}</Absent>
      </Section>
    );
  }
  const fixed = (profile.record.state_bytes ?? 0) + (profile.record.input_bytes ?? 0);
  return (
    <Section title="Memory" aside={`peak ${byteText(most.bytes)}`}>
      <Timeline {...here} profile={profile} most={most} selected={selected} />
      <Rows>
        <Row term="peak">
          {byteText(most.bytes)} after{" "}
          {node === undefined ? "a node outside this graph" : <NodeLink {...here} node={node} />}
        </Row>
        <Row term="plus">{byteText(fixed)} weights and inputs, live throughout</Row>
      </Rows>
    </Section>
  );
}

function whyNot({ count, conditions, record }: Profile): string {
  if (conditions.executor !== "cpu") return "Not measured by this executor";
  if (count === 0) return "No op computes anything";
  return record.complete === false ? "Not measured: stopped before the untimed run completed" : "Unknown";
}

interface TimelineProps extends Pick<Here, "actions" | "snapshot"> {
  readonly profile: Profile;
  readonly most: Step;
  readonly selected: number | undefined;
}

function Timeline({ profile, most, selected, actions, snapshot }: TimelineProps): JSX.Element {
  const steps = useMemo(() => timeline(profile, WIDTH), [profile]);
  const x = (column: number): number => (column * WIDTH) / Math.max(1, steps.length);
  const y = (bytes: number): number => HEIGHT - (bytes / (most.bytes || 1)) * (HEIGHT - 4);
  const line = steps.map(({ bytes }, i) => `H${x(i).toFixed(1)}V${y(bytes).toFixed(1)}`).join("");
  const columnOf = (row: number): number => {
    const after = steps.findIndex((step) => step.row >= row);
    return after < 0 ? steps.length - 1 : after;
  };
  const row = selected === undefined ? undefined : profile.row(selected);
  const upright = (column: number, kind: string): JSX.Element => (
    <line class={kind} x1={x(column + 0.5)} x2={x(column + 0.5)} y1={0} y2={HEIGHT} />
  );
  const nodeOf = (stop: number): number => profile.nodes[steps[stop]?.row ?? -1] ?? -1;
  const say = (stop: number): string => {
    const { row: at = -1, bytes = 0 } = steps[stop] ?? {};
    const node = nodeOf(stop);
    const name = node < 0 ? "a node outside this graph" : visible(snapshot.name(node));
    return `${name}: ${byteText(bytes)} live, ${byteText(profile.at("allocated_bytes", at))} allocated`;
  };
  return (
    <Scrub
      label={`Live bytes, op by op: peak ${byteText(most.bytes)}`}
      class="exirviz-memory"
      width={WIDTH}
      height={HEIGHT}
      count={steps.length}
      start={columnOf(row ?? most.row)}
      stopAt={(at) => Math.max(0, Math.min(steps.length - 1, Math.floor((at / WIDTH) * steps.length)))}
      nodeOf={nodeOf}
      say={say}
      actions={actions}
    >
      {(cursor) => (
        <>
          <path class="exirviz-memory-fill" d={`M0,${HEIGHT}${line}H${WIDTH}V${HEIGHT}Z`} />
          {upright(columnOf(most.row), "exirviz-memory-peak")}
          {row !== undefined && upright(columnOf(row), "exirviz-memory-it")}
          {cursor !== undefined && upright(cursor, "exirviz-memory-cursor")}
        </>
      )}
    </Scrub>
  );
}
