/**
 * Overlays: one number or one category per node, and the colour that it gives a box. Input: a Snapshot or
 * given numbers. Output: a colour per node and the legend that names it. Pure.
 */
import {
  amountText,
  byteText,
  deviceOf,
  dtypeOf,
  KINDS,
  NONE,
  NodeValues,
  OP_KINDS,
  PALETTE,
  type Snapshot,
  shortDtype,
  usersFrames,
} from "../snapshot";
import { type Ramp, ramp, type Scale } from "./ramp";

/** Which overlay, by its name or the label of a series; and how numbers become colours. */
export interface OverlayChoice {
  readonly name: string;
  readonly scale: Scale;
}

export interface Swatch {
  readonly title: string;
  readonly color: string;
  readonly count: number;
  /** A dashed line around it instead of a colour. */
  readonly isDashed?: boolean;
  /** Boxes are tinted with the colour, with this opacity. */
  readonly part?: number;
}

export type Legend =
  | {
      readonly type: "categories";
      readonly title: string;
      readonly swatches: readonly Swatch[];
      /** The meaning of the bars at the boxes' left edges, if different. */
      readonly also?: Legend;
    }
  | {
      readonly type: "numbers";
      readonly title: string;
      readonly low: string;
      readonly high: string;
      /** Texts at equal steps from `low` to `high`, both included. */
      readonly ticks: readonly string[];
      /** Laid over a box's own colour, with an opacity between the two parts. */
      readonly color: string;
      readonly parts: readonly [number, number];
      /** If modules have their own scale: the titles of the two scales, and the ticks of the second. */
      readonly rows?: { readonly first: string; readonly second: string; readonly ticks: readonly string[] };
    };

/** A colour and its opacity, 0 … 1, over a box's own. */
export interface Laid {
  readonly color: string;
  readonly part: number;
}

export interface Overlay {
  /** The title in tooltips; by default the legend's. */
  readonly title?: string;
  readonly legend: Legend;
  /** The colour of a node; undefined if it has no value. */
  color(node: number): Laid | undefined;
  /** The tooltip text of a node. */
  text(node: number): string | undefined;
  /** The same for a module's box, by its slot in the scene that the overlay was made for. */
  box?(slot: number): Laid | undefined;
  boxText?(slot: number): string | undefined;
}

/** Numbers by node number, passed by the mount's owner. */
export interface Series {
  readonly label: string;
  /** What it is called, if not by its label. */
  readonly title?: string;
  readonly unit?: string;
  readonly values: ReadonlyMap<number, number>;
  /** If present, the values are indices into this list. */
  readonly categories?: readonly string[];
}

export const HEAT = "#D55E00";

/**
 * The opacity of a heat colour over a box, smallest and largest: text on it keeps a contrast of 4.5 in both
 * themes.
 */
export const HEAT_PARTS: readonly [number, number] = [0.04, 0.66];

export const BUILT_IN = ["kind", "dtype", "device", "module", "bytes"] as const;

/** Overlays that need the detail: create them again when `snapshot.detail()` is loaded. */
export const WITH_DETAIL = ["file"] as const;

export function makeOverlay(
  snapshot: Snapshot,
  nodes: readonly number[],
  choice: OverlayChoice,
  series: readonly Series[],
  values = new NodeValues(snapshot),
): Overlay | undefined {
  const given = series.find((each) => each.label === choice.name);
  if (given) {
    // What is written on the call of a delegate is that of each op in it, which may have a box where the call
    // has none.
    const carrier = (node: number): number =>
      given.values.has(node) ? node : (snapshot.delegateAround(node)?.call ?? node);
    const { categories: names, values, title = given.label } = given;
    if (names) return categories(title, nodes, (node) => names[values.get(carrier(node)) ?? -1] ?? "");
    const say = (value: number): string => `${amountText(value)}${given.unit ? ` ${given.unit}` : ""}`;
    const overlay = numbers(title, values, choice, say);
    return {
      ...overlay,
      color: (node) => overlay.color(carrier(node)),
      text: (node) => {
        const text = overlay.text(carrier(node));
        return text && carrier(node) !== node ? `${snapshot.delegateAround(node)?.name}: ${text}` : text;
      },
    };
  }
  switch (choice.name) {
    case "bytes":
      return numbers("bytes of the value", bytesOf(values, nodes), choice, byteText);
    case "dtype":
      return categories("dtype", nodes, (node) => shortDtype(dtypeOf(snapshot.value(node))));
    case "device":
      return categories("device", nodes, (node) => deviceOf(snapshot.value(node)));
    case "module":
      return categories("module class", nodes, (node) => {
        const { cls = "" } = snapshot.scopes[snapshot.ownerOf(node)] ?? {};
        return cls.slice(cls.lastIndexOf(".") + 1);
      });
    case "file":
      return snapshot.detailNow && categories("source file", nodes, fileOf(snapshot));
    default:
      return undefined;
  }
}

/** The file of the user's line that made a node. */
function fileOf(snapshot: Snapshot): (node: number) => string {
  const detail = snapshot.detailNow;
  const lines = detail ? usersFrames(detail) : [];
  return (node) => {
    const { graph, position } = snapshot.locate(node);
    const trace = detail?.graphs[graph.number]?.traces[position] ?? NONE;
    const file = detail?.frames?.[lines[trace] ?? NONE]?.file ?? "";
    return file.replace(/^.*[/\\]/, "");
  };
}

/** The legend without an overlay: kinds of ops, by the bar at each box's left edge. */
export function kindLegend(snapshot: Snapshot, nodes: readonly number[]): Legend {
  const counts = new Array<number>(OP_KINDS.length).fill(0);
  for (const node of nodes) {
    const kind = snapshot.kindNumber(node);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const swatches = OP_KINDS.map((kind, i) => ({
    title: kind,
    color: KINDS[kind].color,
    count: counts[i] ?? 0,
  }));
  return { type: "categories", title: "kind", swatches: swatches.filter(({ count }) => count > 0) };
}

function bytesOf(values: NodeValues, nodes: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const node of nodes) {
    const bytes = values.bytes(node);
    if (bytes !== undefined) found.set(node, bytes);
  }
  return found;
}

function categories(title: string, nodes: readonly number[], of: (node: number) => string): Overlay {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const category = of(node);
    if (category) counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  const order = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const colors = new Map(order.map(([name], i) => [name, PALETTE[Math.min(i, PALETTE.length - 1)] ?? HEAT]));
  const last = PALETTE.length - 1;
  const swatches = order
    .slice(0, last)
    .map(([name, count]) => ({ title: name, color: colors.get(name) ?? HEAT, count }));
  const rest = order.slice(last);
  if (rest.length) {
    const count = rest.reduce((sum, [, each]) => sum + each, 0);
    swatches.push({
      title: rest.length === 1 ? (rest[0]?.[0] ?? "") : `${rest.length} more`,
      color: PALETTE[last] ?? HEAT,
      count,
    });
  }
  return {
    legend: { type: "categories", title, swatches },
    color: (node) => {
      const color = colors.get(of(node));
      return color ? { color, part: 0.38 } : undefined;
    },
    text: (node) => of(node) || undefined,
  };
}

export const TICKS = [0, 0.5, 1] as const;

function numbers(
  title: string,
  values: ReadonlyMap<number, number>,
  { scale }: OverlayChoice,
  say: (value: number) => string,
): Overlay {
  const steps: Ramp = ramp([...values.values()], scale);
  const [least, most] = HEAT_PARTS;
  return {
    legend: {
      type: "numbers",
      title: `${title}, ${scale}`,
      low: say(steps.low),
      high: say(steps.high),
      ticks: TICKS.map((part) => say(steps.value(part))),
      color: HEAT,
      parts: HEAT_PARTS,
    },
    color: (node) => {
      const value = values.get(node);
      return value === undefined
        ? undefined
        : { color: HEAT, part: least + (most - least) * steps.at(value) };
    },
    text: (node) => {
      const value = values.get(node);
      return value === undefined ? undefined : say(value);
    },
  };
}
