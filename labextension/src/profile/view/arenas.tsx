/**
 * The planned arenas: a box per value, from its first to its last node and from its offset upwards; the peak
 * is marked.
 */
import { useMemo } from "preact/hooks";
import { byteText, type Graph, grouped, KINDS } from "../../snapshot";
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
  const { values, size, peak } = arena;
  const { graph } = snapshot.locate(peak.node);
  // Before the first op there are only inputs and state: their boxes extend in from the left.
  const from = Math.max(0, firstOp(graph));
  const x = (position: number): number =>
    (Math.max(0, position - from) * WIDTH) / Math.max(1, graph.count - from);
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
        const position = from + Math.floor((left / WIDTH) * (graph.count - from));
        const offset = ((HEIGHT - top) / HEIGHT) * size;
        const found = values.findIndex(
          ({ first, last, offset: low, bytes }) =>
            first <= position && position <= last && low <= offset && offset < low + bytes,
        );
        return found < 0 ? undefined : found;
      }}
      nodeOf={(stop) => values[stop]?.node ?? peak.node}
      say={(stop) => slotText(values[stop], (node) => visible(snapshot.name(node)), graph.base)}
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
    return x(node - graph.base + 0.5);
  }
}

function firstOp(graph: Graph): number {
  for (let i = 0; i < graph.count; i++) if (graph.op(i) === "call_function") return i;
  return 0;
}

function slotText(value: Planned | undefined, nameOf: (node: number) => string, base: number): string {
  if (!value) return "";
  const { node, offset, bytes, first, last } = value;
  const until = last > first ? `, until ${nameOf(base + last)}` : "";
  return `${nameOf(node)}: ${value.value}, ${byteText(bytes)} at ${grouped(offset)}${until}`;
}
