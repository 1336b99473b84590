/**
 * The planned arenas: a box per value, from its first to its last node and from its offset upwards; the peak
 * is marked.
 */
import { useMemo } from "preact/hooks";
import { byteText, type ExecutionSteps, grouped, KINDS, type Snapshot } from "../../snapshot";
import type { Here } from "../../ui/actions";
import { NodeLink } from "../../ui/links";
import { Row, Rows, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";
import { type Arena, arenas, type Planned } from "../arenas";
import { Scrub } from "./scrub";

const WIDTH = 320;
const HEIGHT = 110;

type Props = Here & {
  readonly method: string;
  readonly selected: number | undefined;
};

/** Nothing if the program has no memory plan: only the last stage has one. */
export function Arenas({ method, selected, ...here }: Props) {
  const { snapshot } = here;
  const found = useMemo(() => arenas(snapshot, method), [snapshot, method]);
  if (found.length === 0) return null;
  return (
    <Section title="Memory plan">
      {found.map((arena) => (
        <div key={arena.number}>
          <Drawing {...here} arena={arena} selected={selected} />
          <Rows>
            <Row term={`arena ${arena.number}`}>
              {byteText(arena.size)} for {plural(arena.values.length, "value")}
            </Row>
            <Row term="peak">
              {byteText(arena.peak.bytes)} alive at <NodeLink {...here} node={arena.peak.node} />
            </Row>
          </Rows>
        </div>
      ))}
    </Section>
  );
}

function Drawing({
  snapshot,
  actions,
  arena,
  selected,
}: Here & { arena: Arena; selected: number | undefined }) {
  const { values, size, peak, steps } = arena;
  // Before the first op there are only inputs and state: their boxes extend in from the left.
  const from = Math.max(0, firstOp(snapshot, steps));
  const x = (step: number): number => (Math.max(0, step - from) * WIDTH) / Math.max(1, steps.count - from);
  const y = (offset: number): number => HEIGHT - (offset * HEIGHT) / Math.max(1, size);
  const box = ({ offset, bytes, first, last }: Planned): string => {
    const top = y(offset + bytes);
    return `M${x(first).toFixed(2)},${top.toFixed(2)}H${x(last + 1).toFixed(2)}V${y(offset).toFixed(2)}H${x(first).toFixed(2)}Z`;
  };
  const paths = useMemo(() => {
    const byColor = new Map<string, string>();
    for (const value of values) {
      const { color } = KINDS[snapshot.kind(value.node)];
      byColor.set(color, (byColor.get(color) ?? "") + box(value));
    }
    return [...byColor];
  }, [arena]);
  const of = (node: number): number => values.findIndex((value) => value.node === node);
  const selectedAt = selected === undefined ? -1 : of(selected);
  return (
    <Scrub
      label={`Memory plan of arena ${arena.number}: ${plural(values.length, "value")} in ${byteText(size)}`}
      class="exirviz-arena"
      width={WIDTH}
      height={HEIGHT}
      count={values.length}
      start={Math.max(0, selectedAt >= 0 ? selectedAt : of(peak.node))}
      stopAt={(left, top) => {
        const step = from + Math.floor((left / WIDTH) * (steps.count - from));
        const offset = ((HEIGHT - top) / HEIGHT) * size;
        const found = values.findIndex(
          ({ first, last, offset: low, bytes }) =>
            first <= step && step <= last && low <= offset && offset < low + bytes,
        );
        return found < 0 ? undefined : found;
      }}
      nodeOf={(stop) => values[stop]?.node ?? peak.node}
      say={(stop) => slotText(values[stop], (node) => visible(snapshot.name(node)), steps)}
      actions={actions}
    >
      {(cursor) => {
        const at = values[cursor ?? selectedAt];
        return (
          <>
            {paths.map(([color, d]) => (
              <path key={color} class="exirviz-arena-values" d={d} style={{ fill: color }} />
            ))}
            <line
              class="exirviz-memory-peak"
              x1={middle(peak.node)}
              x2={middle(peak.node)}
              y1={0}
              y2={HEIGHT}
            />
            {at && <path class="exirviz-arena-it" d={box(at)} />}
          </>
        );
      }}
    </Scrub>
  );

  function middle(node: number): number {
    return x((steps.stepOf(node) ?? 0) + 0.5);
  }
}

function firstOp(snapshot: Snapshot, { count, nodeAt }: ExecutionSteps): number {
  for (let step = 0; step < count; step++) {
    const { graph, position } = snapshot.locate(nodeAt(step));
    if (graph.op(position) === "call_function") return step;
  }
  return 0;
}

function slotText(
  value: Planned | undefined,
  nameOf: (node: number) => string,
  { nodeAt }: ExecutionSteps,
): string {
  if (!value) return "";
  const { node, offset, bytes, first, last } = value;
  const until = last > first ? `, until ${nameOf(nodeAt(last))}` : "";
  return `${nameOf(node)}: ${value.value}, ${byteText(bytes)} at ${grouped(offset)}${until}`;
}
