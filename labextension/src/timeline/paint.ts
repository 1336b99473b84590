/** Paints a timeline: its tracks once per view, and over them the brush, the selection and the cursor. */
import { type Clip, clipper } from "../canvas/text";
import { font, mixed, type Theme } from "../canvas/theme";
import { HEAT, HEAT_PARTS } from "../overlay";
import type { Measure } from "../picture";
import type { Arena } from "../profile";
import { byteText, grouped, KINDS, timeText } from "../snapshot";
import { type Axis, opsInView, ticksOf, xOf, xOfOp } from "./axis";
import { barsOf, columnsOf, mergedColumns } from "./columns";
import { timeWithin } from "./costs";
import type { Timeline } from "./model";
import { moduleName } from "./timeline_text";
import { gutterOf, HEIGHTS, RIGHT, type Track } from "./tracks";

type Context = CanvasRenderingContext2D;

export interface Ground {
  readonly timeline: Timeline;
  readonly axis: Axis;
  readonly tracks: readonly Track[];
  readonly theme: Theme;
  readonly measure: Measure;
}

/** The smallest text, in pixels, and the role whose widths are measured. */
const TEXT = { role: "class", size: 11, measured: 12 } as const;
/** The least distance of two lines of an arena, in pixels. */
const OFFSET_LINES = 26;
/** A narrower bar has no text. */
const LEAST_TEXT = 14;

export function paintTracks(context: Context, ground: Ground): void {
  const { tracks, theme, measure } = ground;
  const clip = clipper(measure);
  context.font = font(theme, TEXT.role, TEXT.size / TEXT.measured);
  context.textBaseline = "middle";
  const words = new Labels(context, clip, measure);
  for (const track of tracks) PAINT[track.type](context, ground, track, words);
}

/** Text of one size, cut to the available width. */
class Labels {
  constructor(
    private readonly context: Context,
    private readonly clip: Clip,
    private readonly measure: Measure,
  ) {}

  /** Vertically centred at `y`. */
  say(
    text: string,
    x: number,
    y: number,
    room: number,
    color: string,
    align: CanvasTextAlign = "left",
  ): void {
    const shown = this.clip(text, TEXT.role, (room * TEXT.measured) / TEXT.size);
    if (!shown) return;
    this.context.textAlign = align;
    this.context.fillStyle = color;
    this.context.fillText(shown, x, y);
  }

  width(text: string): number {
    return (this.measure(text, TEXT.role) * TEXT.size) / TEXT.measured;
  }
}

type Paint = (context: Context, ground: Ground, track: Track, words: Labels) => void;

const PAINT: Readonly<Record<Track["type"], Paint>> = {
  axis: paintAxis,
  modules: paintModules,
  ops: paintOps,
  time: paintTimes,
  delegates: paintDelegates,
  live: paintLive,
  arena: (context, ground, track, words) =>
    track.type === "arena" && paintArena(context, ground, track, track.arena, words),
};

function nameTrack({ theme, axis }: Ground, track: Track, words: Labels, name: string, more = ""): void {
  const room = gutterOf(axis.left + axis.width) - 12;
  const middle = track.top + Math.min(track.height, more ? 30 : 20) / 2;
  words.say(name, 8, middle - (more ? 7 : 0), room, theme.text);
  if (more) words.say(more, 8, middle + 7, room, theme.dim);
}

function paintAxis(context: Context, ground: Ground, track: Track, words: Labels): void {
  const { axis, theme, timeline } = ground;
  const isByTime = axis.edges === timeline.byTime;
  nameTrack(ground, track, words, isByTime ? "Time" : "Op");
  const bottom = track.top + track.height - 0.5;
  context.fillStyle = theme.line;
  context.fillRect(axis.left, bottom - 0.5, axis.width, 1);
  for (const tick of ticksOf(axis, axis.width / 90)) {
    if (!isByTime && !Number.isInteger(tick)) continue;
    const x = xOf(axis, tick);
    context.fillStyle = theme.boxLine;
    context.fillRect(Math.round(x), bottom - 5, 1, 5);
    const text = isByTime ? timeText(tick) : grouped(tick);
    const room = axis.left + axis.width + RIGHT - x - 4;
    if (words.width(text) <= room) words.say(text, x + 4, track.top + track.height / 2, room, theme.dim);
  }
}

function paintModules(context: Context, ground: Ground, track: Track, words: Labels): void {
  if (track.type !== "modules") return;
  const { axis, theme, timeline } = ground;
  const row = timeline.sequence.modules[track.row];
  if (!row) return;
  if (track.row === 0) nameTrack(ground, track, words, "Modules");
  const { times } = timeline;
  const [least, most] = HEAT_PARTS;
  for (const { span, x, width, count } of barsOf(axis, row)) {
    const [first, last, scope] = [row.first[span] ?? 0, row.last[span] ?? 0, row.scope[span] ?? 0];
    const share = times?.share(timeWithin(times, first, last));
    context.fillStyle =
      share === undefined
        ? `rgba(${theme.tint},${span % 2 ? 0.2 : 0.3})`
        : mixed(HEAT, theme.box, least + (most - least) * Math.sqrt(Math.min(1, share)));
    const gap = width > 3 ? 1 : 0;
    context.fillRect(x, track.top, Math.max(0.7, width - gap), track.height - 1);
    if (gap) {
      context.fillStyle = theme.boxLine;
      context.fillRect(x, track.top, 1, track.height - 1);
    }
    if (count > 1 || width < LEAST_TEXT) continue;
    const long = moduleName(timeline, scope);
    const name = words.width(long) <= width - 10 ? long : shortName(long);
    if (name.startsWith(CUT) && words.width(name) > width - 7) continue;
    const cost = times ? timeText(timeWithin(times, first, last)) : "";
    const [y, room] = [track.top + track.height / 2 - 0.5, width - 10];
    const costRoom = cost ? words.width(cost) + 10 : 0;
    const hasCost = cost !== "" && room - costRoom >= Math.min(words.width(name), 60);
    words.say(name, x + 5, y, hasCost ? room - costRoom : Math.max(room, width - 7), theme.text);
    if (hasCost) words.say(cost, x + width - 6, y, costRoom, theme.text, "right");
  }
}

const CUT = "…";

/** "self_attn" for "layers.17.self_attn", if there is no room for all of it; "…17" for "layers.17". */
export function shortName(name: string): string {
  const last = name.slice(name.lastIndexOf(".") + 1);
  return /^\d+( |$)/.test(last) && last !== name ? CUT + last : last;
}

/** The colour of the op's kind, as in the bars of boxes. */
function kindColor({ timeline }: Ground, op: number): string {
  const { snapshot, nodes } = timeline.sequence;
  return KINDS[snapshot.kind(nodes[op] ?? 0)].color;
}

function paintOps(context: Context, ground: Ground, track: Track, words: Labels): void {
  nameTrack(ground, track, words, "Ops by kind");
  const { axis } = ground;
  for (const { from, to, op } of mergedColumns(columnsOf(axis, () => 0))) {
    context.fillStyle = kindColor(ground, op);
    context.fillRect(axis.left + from, track.top, to - from - (to - from > 3 ? 1 : 0), track.height);
  }
}

function paintTimes(context: Context, ground: Ground, track: Track, words: Labels): void {
  const { axis, theme, timeline } = ground;
  const { times } = timeline;
  if (!times) return;
  nameTrack(ground, track, words, "Op time", `max ${timeText(times.most)}`);
  const bottom = track.top + track.height;
  baseline(context, axis, theme, bottom);
  for (const { from, to, op, value } of mergedColumns(columnsOf(axis, (at) => times.own[at] ?? Number.NaN))) {
    const height = Math.max(1, (value / times.most) * track.height);
    context.fillStyle = kindColor(ground, op);
    context.fillRect(axis.left + from, bottom - height, to - from - (to - from > 3 ? 1 : 0), height);
  }
}

function paintDelegates(context: Context, ground: Ground, track: Track, words: Labels): void {
  const { axis, theme, timeline } = ground;
  nameTrack(ground, track, words, "Runs on");
  const middle = track.top + track.height / 2;
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  context.strokeRect(axis.left + 0.5, track.top + 0.5, axis.width - 1, track.height - 1);
  const spans = timeline.sequence.delegates;
  const bars = barsOf(axis, { first: spans.map(({ first }) => first), last: spans.map(({ last }) => last) });
  let free = axis.left;
  for (const { span, x, width, count } of bars) {
    cpu(words, theme, free, x, middle);
    free = x + width;
    const { call } = spans[span] ?? {};
    if (!call) continue;
    const { color, part } = timeline.delegateColor(call);
    context.fillStyle = mixed(color, theme.box, part);
    context.fillRect(x, track.top, Math.max(0.7, width), track.height);
    if (width > 3) {
      context.fillStyle = color;
      context.fillRect(x, track.top, 2, track.height);
    }
    if (count > 1) continue;
    const name = words.width(call.name) <= width - 9 ? call.name : `${CUT}${call.number}`;
    if (words.width(name) <= width - 5) words.say(name, x + 6, middle, width, theme.text);
  }
  cpu(words, theme, free, axis.left + axis.width, middle);
}

function cpu(words: Labels, theme: Theme, from: number, to: number, y: number): void {
  if (to - from >= words.width("CPU") + 10) words.say("CPU", from + 6, y, to - from - 8, theme.dim);
}

function paintLive(context: Context, ground: Ground, track: Track, words: Labels): void {
  const { axis, theme, timeline } = ground;
  const { live } = timeline;
  if (!live) return;
  nameTrack(ground, track, words, "Memory", "live bytes");
  const bottom = track.top + track.height;
  baseline(context, axis, theme, bottom);
  context.fillStyle = `rgba(${theme.tint},0.3)`;
  const tops: [number, number, number][] = [];
  for (const { from, to, value } of mergedColumns(columnsOf(axis, (op) => live.bytes[op] ?? Number.NaN))) {
    const height = (value / (live.most || 1)) * (track.height - 2);
    context.fillRect(axis.left + from, bottom - height, to - from, height);
    tops.push([axis.left + from, axis.left + to, bottom - height]);
  }
  context.strokeStyle = `rgb(${theme.tint})`;
  context.lineWidth = 1.25;
  context.beginPath();
  tops.forEach(([from, to, y], i) => {
    if (i) context.lineTo(from, y);
    else context.moveTo(from, y);
    context.lineTo(to, y);
  });
  context.stroke();
  markPeak(context, ground, track, words, live.peak, `peak ${byteText(live.most)}`);
}

/** A value as a box: from its first op to its last, from its offset upwards. */
function paintArena(context: Context, ground: Ground, track: Track, arena: Arena, words: Labels): void {
  const { axis, theme, timeline } = ground;
  const { snapshot, opOf } = timeline.sequence;
  nameTrack(ground, track, words, `Arena ${arena.number}`);
  const bottom = track.top + track.height;
  baseline(context, axis, theme, bottom);
  offsets(context, ground, track, arena.size, words);
  // Values that are too small to see are drawn once per pixel.
  const seen = new Set<number>();
  for (const value of arena.values) {
    const { x, y, width, height } = placeOf(timeline, axis, track, arena, value);
    if (width <= 0) continue;
    if (width < 1 && height < 1) {
      const pixel = Math.floor(y) * 16_384 + Math.floor(x);
      if (seen.has(pixel)) continue;
      seen.add(pixel);
    }
    context.globalAlpha = 0.62;
    context.fillStyle = KINDS[snapshot.kind(value.node)].color;
    context.fillRect(x, y, Math.max(0.7, width), Math.max(0.7, height));
    context.globalAlpha = 1;
    if (width > 4 && height > 4) {
      context.strokeStyle = theme.ground;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    }
  }
  const { bytes, node } = arena.peak;
  const op = opOf[node] ?? -1;
  if (op >= 0) markPeak(context, ground, track, words, op, `peak ${byteText(bytes)}`);
}

/** Lines at round offsets, with their numbers. */
function offsets(context: Context, { axis, theme }: Ground, track: Track, size: number, words: Labels): void {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, (size * OFFSET_LINES) / track.height)));
  for (let offset = 0; offset <= size; offset += step) {
    const y = track.top + track.height - (offset / Math.max(1, size)) * track.height;
    context.fillStyle = theme.line;
    context.fillRect(axis.left, Math.round(y), axis.width, 1);
    if (offset === 0 || y > track.top + HEIGHTS.row + 10 || axis.left > 90)
      words.say(byteText(offset), axis.left - 6, y - (offset ? 0 : 5), 60, theme.dim, "right");
  }
}

export function placeOf(
  { sequence: { opAt } }: Timeline,
  axis: Axis,
  track: Track,
  { size }: Arena,
  value: { readonly first: number; readonly last: number; readonly offset: number; readonly bytes: number },
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } {
  const right = axis.left + axis.width;
  const start = Math.max(axis.left, xOfOp(axis, opAt[value.first] ?? 0));
  const end = Math.min(right, xOfOp(axis, opAt[Math.min(value.last + 1, opAt.length - 1)] ?? 0));
  const scale = track.height / Math.max(1, size);
  const height = value.bytes * scale;
  return {
    x: start,
    y: track.top + track.height - value.offset * scale - height,
    width: end - start,
    height,
  };
}

function baseline(context: Context, axis: Axis, theme: Theme, y: number): void {
  context.fillStyle = theme.line;
  context.fillRect(axis.left, y - 0.5, axis.width, 1);
}

/** A dashed line, with its text if there is room beside it. */
function markPeak(
  context: Context,
  { axis, theme }: Ground,
  track: Track,
  words: Labels,
  op: number,
  text: string,
): void {
  const right = axis.left + axis.width;
  const at = xOfOp(axis, op);
  if (at < axis.left || at >= right) return;
  const x = Math.min(Math.round(at), right - 1) + 0.5;
  context.strokeStyle = theme.text;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, track.top);
  context.lineTo(x, track.top + track.height);
  context.stroke();
  context.setLineDash([]);
  const width = words.width(text) + 8;
  const left = x + width + 4 < right ? x + 3 : x - width - 3;
  if (left < axis.left) return;
  context.globalAlpha = 0.85;
  context.fillStyle = theme.ground;
  context.fillRect(left, track.top + 2, width, 15);
  context.globalAlpha = 1;
  words.say(text, left + 4, track.top + 10, width, theme.text);
}

interface Pointed {
  readonly brush: readonly (readonly [number, number])[];
  readonly selected: readonly (readonly [number, number])[];
  /** The op at the cursor; undefined without one. */
  readonly cursor: number | undefined;
}

export function paintMarks(context: Context, { axis, theme }: Ground, height: number, at: Pointed): void {
  const right = axis.left + axis.width;
  const column = ([first, last]: readonly [number, number], least: number) => {
    const x = xOfOp(axis, first);
    const end = Math.max(x + least, xOfOp(axis, last + 1));
    return end <= axis.left || x >= right
      ? undefined
      : ([Math.max(axis.left, x), Math.min(right, end)] as const);
  };
  const [first, last] = opsInView(axis);
  const inView = (ranges: Pointed["brush"]) => ranges.filter(([from, to]) => to >= first && from <= last);
  for (const range of inView(at.selected)) {
    const found = column(range, 2);
    if (!found) continue;
    const [x, end] = found;
    context.globalAlpha = 0.16;
    context.fillStyle = theme.accent;
    context.fillRect(x, 0, end - x, height);
    context.globalAlpha = 1;
    context.fillRect(x, 0, end - x, 4);
  }
  if (at.brush.length) dimOthers(context, axis, theme, height, inView(at.brush), column);
  if (at.cursor === undefined) return;
  const found = column([at.cursor, at.cursor], 1);
  if (!found) return;
  context.fillStyle = theme.text;
  context.globalAlpha = 0.12;
  context.fillRect(found[0], 0, found[1] - found[0], height);
  context.globalAlpha = 0.8;
  context.fillRect(Math.round((found[0] + found[1]) / 2), 0, 1, height);
  context.globalAlpha = 1;
}

/** Dims ops outside the brush, as in the graph. */
function dimOthers(
  context: Context,
  axis: Axis,
  theme: Theme,
  height: number,
  ranges: Pointed["brush"],
  column: (range: readonly [number, number], least: number) => readonly [number, number] | undefined,
): void {
  let free = axis.left;
  const pale = (from: number, to: number): void => {
    if (to <= from) return;
    context.globalAlpha = 0.68;
    context.fillStyle = theme.ground;
    context.fillRect(from, 0, to - from, height);
    context.globalAlpha = 1;
  };
  for (const range of ranges) {
    const found = column(range, 1);
    if (!found) continue;
    const [x, end] = found;
    pale(free, x);
    free = Math.max(free, end);
    context.fillStyle = theme.accent;
    context.fillRect(x, 0, 1.5, height);
    context.fillRect(end - 1.5, 0, 1.5, height);
  }
  pale(free, axis.left + axis.width);
}
