/** Bytes alive as the program runs, drawn small; the peak is named, and each place of the drawing leads to its op. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Here } from "../../panels/actions";
import { NodeLink } from "../../panels/parts/links";
import { Absent, Row, Rows, Section } from "../../panels/parts/section";
import { byteText } from "../../snapshot";
import { peak, type Step, timeline } from "../memory";
import type { Profile } from "../profile";

const WIDTH = 320;
const HEIGHT = 64;

export function Memory({
  profile,
  selected,
  ...here
}: Here & { profile: Profile; selected: number | undefined }) {
  const most = useMemo(() => peak(profile), [profile]);
  const node = most && (profile.nodes[most.row] ?? -1);
  if (!most || node === undefined || node < 0) {
    return (
      <Section title="Memory">
        <Absent>Not looked at by this executor.</Absent>
      </Section>
    );
  }
  const fixed = (profile.record.state_bytes ?? 0) + (profile.record.input_bytes ?? 0);
  return (
    <Section title="Memory" aside={`${byteText(most.bytes)} at most`}>
      <Timeline {...here} profile={profile} most={most} selected={selected} />
      <Rows>
        <Row term="peak">
          {byteText(most.bytes)} after <NodeLink {...here} node={node} />
        </Row>
        <Row term="besides">{byteText(fixed)} of state and inputs, alive throughout</Row>
      </Rows>
    </Section>
  );
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
  const columnOf = (row: number): number => Math.floor((row / Math.max(1, profile.count)) * steps.length);
  const row = selected === undefined ? undefined : profile.row(selected);
  const nodeAt = (event: MouseEvent): number => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const column = Math.floor(((event.clientX - left) / Math.max(1, width)) * steps.length);
    return profile.nodes[steps[Math.max(0, Math.min(column, steps.length - 1))]?.row ?? -1] ?? -1;
  };
  const at = (node: number): string => {
    const found = profile.of("live_bytes", node);
    return node < 0 ? "" : `${snapshot.name(node)}: ${byteText(found)} alive`;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the peak is a link below, and every node says its own bytes
    <svg
      class="ev-memory"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Bytes alive, op by op: ${byteText(most.bytes)} at most, ${at(profile.nodes[most.row] ?? -1)}`}
      onClick={(event) => {
        const node = nodeAt(event);
        if (node >= 0) actions.reveal(node);
      }}
      onMouseMove={(event) => {
        const node = nodeAt(event);
        actions.hover(node < 0 ? undefined : node);
        const title = event.currentTarget.querySelector("title");
        if (title) title.textContent = at(node);
      }}
      onMouseLeave={() => actions.hover(undefined)}
    >
      <title>Bytes alive, op by op</title>
      <path class="ev-memory-fill" d={`M0,${HEIGHT}${line}H${WIDTH}V${HEIGHT}Z`} />
      <line class="ev-memory-peak" x1={x(columnOf(most.row))} x2={x(columnOf(most.row))} y1={0} y2={HEIGHT} />
      {row !== undefined && (
        <line class="ev-memory-it" x1={x(columnOf(row))} x2={x(columnOf(row))} y1={0} y2={HEIGHT} />
      )}
    </svg>
  );
}
