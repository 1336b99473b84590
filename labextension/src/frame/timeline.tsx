/** The timeline below the graph: how it opens, its height, and what it exchanges with the graph. */
import type { JSX, TargetedPointerEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Theme } from "../canvas/theme";
import { type Explorer, nodesOf } from "../explorer";
import { itemsAt } from "../picture";
import { type Brush, type State, TIMELINE_HEIGHT } from "../store";
import {
  costText,
  type Hit,
  liveBasis,
  methodGraph,
  rangesOf,
  rooflineOf,
  type Timeline,
  timelineOf,
} from "../timeline";
import { Chart, type Range } from "../timeline/view/chart";
import { useHeight } from "../timeline/view/parts";
import { RooflineChart } from "../timeline/view/roofline";
import { plural } from "../ui/text";
import { titled } from "./commands";
import { useExplorer, useNextFrame, usePart } from "./context";
import { useProfile } from "./costs";
import { actionsOf } from "./selection";
import { remember } from "./timeline_storage";

interface DockProps {
  readonly theme: () => Theme;
  readonly takesWheel: boolean;
}

export function TimelineDock(props: DockProps): JSX.Element | null {
  const isOpen = usePart((state) => state.isTimelineOpen);
  const height = usePart((state) => state.timelineHeight);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) remember(document.defaultView, isOpen, height);
    isFirst.current = false;
  }, [isOpen, height]);
  return isOpen ? <Dock {...props} height={height} /> : null;
}

/** The height of the row above the tracks, in CSS pixels. */
const HEAD = 34;

function Dock({ theme, takesWheel, height: wanted }: DockProps & { height: number }): JSX.Element {
  const explorer = useExplorer();
  const place = useRef<HTMLElement>(null);
  // A low explorer shows less than what is wanted.
  const height = useHeight(place) || wanted;
  const timeline = useTimeline();
  const [show, setShow] = useState<Show>("By op");
  const brush = usePart((state) => state.brush);
  const brushed = useMemo(() => brushedIn(timeline, brush), [timeline, brush]);
  const selected = useSelected(timeline);
  const profile = useProfile();
  const roofline = useMemo(() => timeline && rooflineOf(timeline.sequence, profile), [timeline, profile]);
  const says = timeline && saysOf(timeline, brushed, selected, show);
  const point = (op: number | undefined): void =>
    actionsOf(explorer).hover(op === undefined ? undefined : timeline?.sequence.nodes[op]);
  return (
    <section class="exirviz-timeline" aria-label="Timeline" ref={place} style={{ height: `${wanted}px` }}>
      <Grip height={height} />
      <header class="exirviz-timeline-head">
        <b>Timeline</b>
        {timeline?.byTime && <Shows at={show} hasRoofline={roofline !== undefined} onShow={setShow} />}
        <span class="exirviz-dim exirviz-timeline-says" role="status" title={says}>
          {says}
        </span>
        {brushed.length > 0 && (
          <button
            type="button"
            class="exirviz-button"
            title="Clear highlight (Esc)"
            onClick={() => explorer.store.set({ brush: undefined })}
          >
            Clear
          </button>
        )}
        <button
          type="button"
          class="exirviz-dock-close"
          aria-label="Hide timeline"
          title={titled("Hide timeline", "timeline")}
          onClick={() => explorer.showTimeline(false)}
        >
          ×
        </button>
      </header>
      {timeline && show === "Roofline" && roofline && (
        <RooflineChart
          timeline={timeline}
          roofline={roofline}
          theme={theme()}
          height={height - HEAD}
          brushed={opsIn(brushed)}
          selected={opsIn(selected)}
          onBrush={(ops) => explorer.store.set({ brush: ops.length ? brushOf(timeline, ops) : undefined })}
          onOpen={(op) => open(explorer, timeline, { type: "op", op })}
          onPoint={point}
        />
      )}
      {timeline && !(show === "Roofline" && roofline) && (
        <Chart
          timeline={timeline}
          isByTime={show === "By time"}
          theme={theme()}
          height={height - HEAD}
          brush={brushed}
          selected={selected}
          start={selected[0]?.[0] ?? 0}
          takesWheel={takesWheel}
          onBrush={(range) => explorer.store.set({ brush: range && brushOf(timeline, opsOfRange(range)) })}
          onOpen={(hit) => open(explorer, timeline, hit)}
          onPoint={point}
        />
      )}
    </section>
  );
}

/** Of the method that is shown; not before the first paint. */
function useTimeline(): Timeline | undefined {
  const snapshot = usePart((state) => state.picture.snapshot);
  const graph = usePart((state) => methodGraph(state.picture.snapshot, state.picture.graph.number));
  const profile = useProfile();
  const isPainted = useNextFrame();
  return useMemo(
    () => (isPainted ? timelineOf(snapshot, graph, profile) : undefined),
    [isPainted, snapshot, graph, profile],
  );
}

/** The selection in the graph, as ranges of ops. */
function useSelected(timeline: Timeline | undefined): readonly Range[] {
  const selected = usePart((state) => state.selected);
  const picture = usePart((state) => state.picture);
  const scene = usePart((state) => state.scene);
  return useMemo(
    () => (timeline ? opsOf(timeline, nodesOfBoxes({ picture, scene, selected })) : []),
    [timeline, selected, picture, scene],
  );
}

/** The box of a run of identical modules represents all of them. */
export function nodesOfBoxes({
  picture,
  scene,
  selected,
}: Pick<State, "picture" | "scene" | "selected">): number[] {
  return selected.flatMap((item) => {
    const slot = scene.slotOf[item] ?? -1;
    const isBox = slot >= 0 && scene.item[slot] === item;
    return (isBox ? [...itemsAt(picture, scene, slot)] : [item]).flatMap((each) => nodesOf(picture, each));
  });
}

function opsOf({ sequence }: Timeline, nodes: readonly number[]): readonly Range[] {
  return rangesOf(nodes.map((node) => sequence.opOf[node] ?? -1).filter((op) => op >= 0));
}

function brushedIn(timeline: Timeline | undefined, brush: Brush | undefined): readonly Range[] {
  return timeline && brush?.snapshot === timeline.sequence.snapshot ? opsOf(timeline, brush.nodes) : [];
}

export function brushOf({ sequence }: Timeline, ops: readonly number[]): Brush {
  return { snapshot: sequence.snapshot, nodes: ops.map((op) => sequence.nodes[op] ?? 0) };
}

const opsOfRange = ([first, last]: Range): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

const opsIn = (ranges: readonly Range[]): ReadonlySet<number> => new Set(ranges.flatMap(opsOfRange));

function open(explorer: Explorer, timeline: Timeline, hit: Hit): void {
  const actions = actionsOf(explorer);
  const { sequence } = timeline;
  const node = sequence.nodes[hit.op] ?? 0;
  if (hit.type === "module") actions.revealModule(sequence.snapshot.locate(node).graph.number, hit.scope);
  else if (hit.type === "delegate")
    explorer.store.set({ brush: brushOf(timeline, opsOfRange([hit.first, hit.last])) });
  else actions.reveal(hit.type === "value" ? hit.value.node : node);
}

/** The text: the brushed range, else the selection; else a hint, and where the bytes come from. */
function saysOf(
  timeline: Timeline,
  brushed: readonly Range[],
  selected: readonly Range[],
  show: Show,
): string {
  const ranges = brushed.length ? brushed : selected;
  if (ranges.length === 0) {
    const basis = show === "Roofline" ? "" : liveBasis(timeline);
    return `Drag to highlight ops in the graph${basis ? ` · memory ${basis}` : ""}`;
  }
  const count = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const [first, last] = [ranges[0]?.[0] ?? 0, ranges.at(-1)?.[1] ?? 0];
  const cost = ranges.length === 1 ? costText(timeline, first, last) : "";
  return [`${plural(count, "op")} ${brushed.length ? "highlighted" : "selected"}`, cost]
    .filter(Boolean)
    .join(" · ");
}

const SHOWS = {
  "By op": "Draw all ops with the same width",
  "By time": "Draw each op as wide as its time",
  Roofline: "Plot FLOP/s against FLOPs per byte",
} as const;
type Show = keyof typeof SHOWS;

interface ShowsProps {
  readonly at: Show;
  readonly hasRoofline: boolean;
  readonly onShow: (show: Show) => void;
}

function Shows({ at, hasRoofline, onShow }: ShowsProps): JSX.Element {
  return (
    <fieldset class="exirviz-joined" aria-label="Timeline view">
      {(Object.keys(SHOWS) as Show[])
        .filter((each) => hasRoofline || each !== "Roofline")
        .map((each) => (
          <button
            key={each}
            type="button"
            class="exirviz-button"
            aria-pressed={at === each}
            title={SHOWS[each]}
            onClick={() => onShow(each)}
          >
            {each}
          </button>
        ))}
    </fieldset>
  );
}

function Grip({ height }: { height: number }): JSX.Element {
  const explorer = useExplorer();
  const resize = (wanted: number): void =>
    explorer.store.set({
      timelineHeight: Math.round(Math.min(TIMELINE_HEIGHT.most, Math.max(TIMELINE_HEIGHT.least, wanted))),
    });
  // Measured from the bottom of the dock, so that its edge returns to a pointer that went too far.
  const drag = ({ buttons, clientY, currentTarget }: TargetedPointerEvent<HTMLElement>): void => {
    const bottom = currentTarget.parentElement?.getBoundingClientRect().bottom;
    if (buttons & 1 && bottom !== undefined) resize(bottom - clientY);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowUp" ? 20 : event.key === "ArrowDown" ? -20 : 0;
    if (!by) return;
    event.stopPropagation();
    event.preventDefault();
    resize(height + by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be dragged
    <div
      class="exirviz-timeline-grip"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Timeline height"
      aria-valuenow={height}
      aria-valuemin={TIMELINE_HEIGHT.least}
      aria-valuemax={TIMELINE_HEIGHT.most}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={onKeyDown}
    />
  );
}
