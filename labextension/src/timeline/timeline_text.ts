/** Text about ops, modules, delegates and memory in a timeline. Text of a program is only shown as text. */

import type { Planned } from "../profile";
import { byteText, executionSteps, grouped, shareText, timeText } from "../snapshot";
import { plural, visible } from "../ui/text";
import { timeWithin } from "./costs";
import type { Timeline } from "./model";

/** "layers.0": a module by its path in its parent module. */
export function moduleName({ sequence: { snapshot } }: Timeline, scope: number): string {
  const { path = "", parent = -1, call = 0 } = snapshot.scopes[scope] ?? {};
  const around = snapshot.scopes[parent]?.path ?? "";
  const name = around && path.startsWith(`${around}.`) ? path.slice(around.length + 1) : path;
  return visible(call ? `${name} (call ${call + 1})` : name);
}

/** "1.25 ms · 12.3%" for ops `first` to `last`; empty if nothing is timed. */
export function costText({ times }: Timeline, first: number, last: number): string {
  if (!times) return "";
  const time = timeWithin(times, first, last);
  return time > 0 ? `${timeText(time)} · ${shareText(times.share(time))}` : "not timed";
}

/** Name, module, time and bytes of an op. */
export function opLines(timeline: Timeline, op: number): string[] {
  const { sequence, times, live } = timeline;
  const { snapshot, nodes } = sequence;
  const node = nodes[op] ?? 0;
  const own = times?.own[op];
  const parts = times?.parts[op] ?? 0;
  const alive = live?.bytes[op];
  const { path = "" } = snapshot.scopes[snapshot.ownerOf(node)] ?? {};
  const call = snapshot.delegateCall(snapshot.locate(node).graph.number);
  const bytes = snapshot.byteText(node);
  return [
    visible(snapshot.name(node)),
    visible(path),
    [
      own !== undefined && own >= 0 ? costText(timeline, op, op) : "",
      parts > 0 ? `includes ${timeText(parts)} for getitem or alloc` : "",
      `${snapshot.valueText(node)}${bytes === "–" ? "" : `, ${bytes}`}`,
    ]
      .filter(Boolean)
      .join(" · "),
    alive !== undefined && alive >= 0 ? `${byteText(alive)} alive` : "",
    call ? `runs on ${visible(call.name)}` : "",
  ].filter(Boolean);
}

export function moduleLines(timeline: Timeline, scope: number, first: number, last: number): string[] {
  const { path = "", cls = "" } = timeline.sequence.snapshot.scopes[scope] ?? {};
  return [
    visible(path),
    visible(cls.slice(cls.lastIndexOf(".") + 1)),
    [plural(last - first + 1, "op"), costText(timeline, first, last)].filter(Boolean).join(" · "),
  ];
}

export function delegateLines(timeline: Timeline, index: number): string[] {
  const span = timeline.sequence.delegates[index];
  if (!span) return [];
  const { call, first, last } = span;
  const cost = costText(timeline, first, last);
  // A file does not say which ops its delegates hold.
  const ops = last > first ? plural(last - first, "op") : "";
  return [visible(call.name), [ops, cost].filter(Boolean).join(" · ")].filter(Boolean);
}

export function plannedLines({ sequence }: Timeline, value: Planned): string[] {
  const { snapshot, graph } = sequence;
  const { nodeAt } = executionSteps(snapshot, graph);
  const name = (step: number): string => visible(snapshot.name(nodeAt(step)));
  return [
    visible(snapshot.name(value.node)),
    `${value.value}, ${byteText(value.bytes)} at offset ${grouped(value.offset)}`,
    `alive from ${name(value.first)} to ${name(value.last)}`,
  ];
}

const BASIS = {
  measured: "measured",
  planned: "from the memory plan",
  shapes: "computed from shapes",
} as const;

/** How the bytes were obtained, and how many values are not included. */
export function liveBasis({ live }: Timeline): string {
  if (!live) return "";
  const at = live.sizes && ` at ${visible(live.sizes)}`;
  const without = live.unknown ? `, without ${plural(live.unknown, "value")} of unknown size` : "";
  return `${BASIS[live.basis]}${at}${without}`;
}
