/**
 * Boxes coloured by what was measured: how far values are apart, what became faster or slower; and marks where numbers
 * part first, where a NaN or an infinite number came up. Pure.
 */
import { placeOf } from "../canvas/drawlist";
import { levelOf, textScale } from "../canvas/level";
import type { Above, Look, Paint } from "../canvas/look";
import type { Place } from "../canvas/nodes";
import type { Primitive } from "../canvas/primitives";
import { font, fontSize, mixed, type Theme } from "../canvas/theme";
import type { Explorer } from "../explorer";
import { Kind } from "../layout";
import { HEAT, HEAT_PARTS } from "../overlay";
import type { Picture } from "../picture";
import { NONE } from "../snapshot";
import type { Side } from "./changes";
import { slotOf } from "./drift";
import { type Cost, type Expense, gain } from "./expense";
import type { Pair } from "./pair";
import { distance, type Parting } from "./parting";

export const APART = HEAT;
export const SLOWER = HEAT;
export const FASTER = "#0072b2";
/** White is read on it. */
const MARK = "#b84f00";
/** Relative differences, from what rounding leaves to what is another value. */
export const RANGE = { least: 1e-8, most: 1 } as const;

/** 0 … 1, by order of magnitude; undefined where nothing differs. */
export function apartness(relative: number): number | undefined {
  if (relative === 0) return undefined;
  const { least, most } = RANGE;
  return within(Math.log(relative / least) / Math.log(most / least));
}

/** By how far apart the values of a box are; of a closed one the worst in it. */
export function valuePaint(parting: Parting, side: Side, explorer: Explorer, theme: Theme): Paint {
  const worst = byItem(explorer, (node) => {
    const row = parting.at(side, node);
    return row && distance(row);
  });
  return (slot) => {
    const found = worst(slot);
    const part = found === undefined ? undefined : apartness(found);
    return part === undefined ? undefined : tinted(APART, part, theme);
  };
}

/** By what a change cost or gained, as a part of the largest; of a closed module with all within it. */
export function costPaint(expense: Expense, pair: Pair, side: Side, theme: Theme): Paint {
  const { changes } = pair;
  const explorer = pair.explorers[side];
  const modules = new Map((changes.comparison.modules ?? []).map((module, number) => [module, number]));
  const most = expense.most;
  const costOf = (item: number): Cost | undefined => {
    const { picture } = explorer;
    const node = picture.nodeOf(item);
    if (node >= 0) return expense.of(changes.of(side, node));
    const scope = picture.scopeOf(item);
    const module = scope === NONE ? undefined : changes.module(side, scope);
    return module && expense.module(modules.get(module) ?? NONE);
  };
  return (slot) => {
    const cost = costOf(explorer.state.scene.item[slot] ?? -1);
    const more = cost ? gain(cost) : 0;
    if (more === 0 || most === 0) return undefined;
    return tinted(more > 0 ? SLOWER : FASTER, within(Math.sqrt(Math.abs(more) / most)), theme);
  };
}

/** What is told of a node whatever the colours are: it is the first to part, or the first to make a NaN. */
interface Mark {
  readonly node: number;
  readonly text: string;
}

export function marksOf(parting: Parting, side: Side): Mark[] {
  const { first } = parting;
  const found = parting.producers(side).map(({ node, trouble }) => ({
    node,
    text: trouble === "nan" ? "first NaN" : "first Inf",
  }));
  if (first) found.unshift({ node: side === 0 ? first.a : first.b, text: "first to part" });
  const texts = new Map<number, string[]>();
  for (const { node, text } of found) texts.set(node, [...(texts.get(node) ?? []), text]);
  return [...texts].map(([node, all]) => ({ node, text: all.join(" · ") }));
}

/** Rings and words around what is marked, above whatever else is painted. */
export function withMarks(above: Above, marks: readonly Mark[]): Above {
  if (marks.length === 0) return above;
  return (look, camera, screen) => {
    const { under, over } = above(look, camera, screen);
    const out: Primitive[] = [];
    for (const { node, text } of marks) {
      const slot = slotOf(look, node);
      if (slot >= 0 && look.scene.kind[slot] !== Kind.Open)
        mark(look, placeOf(look, slot, camera), text, out);
    }
    return { under, over: [...over, ...out] };
  };
}

function mark(look: Look, at: Place, text: string, out: Primitive[]): void {
  const { theme, width: measure } = look;
  const gap = 2;
  const { x, y, width, height, zoom } = at;
  const radius = 6 * Math.min(1, zoom) + gap;
  const ring = { x: x - gap, y: y - gap, width: width + 2 * gap, height: height + 2 * gap, radius };
  out.push({ type: "box", ...ring, line: MARK, lineWidth: 3 });
  if (levelOf(zoom) === "shapes") return;
  const scale = textScale(zoom, fontSize("badge"));
  const wide = measure(text, "badge") * scale + 10 * scale;
  const tall = 15 * scale;
  const top = y + height - 2;
  out.push({
    type: "box",
    x,
    y: top,
    width: wide,
    height: tall,
    radius: tall / 2,
    fill: MARK,
    line: theme.box,
    lineWidth: 1,
  });
  out.push({
    type: "text",
    x: x + wide / 2,
    y: top + tall * 0.73,
    text,
    font: font(theme, "badge", scale),
    color: "#ffffff",
    align: "center",
  });
}

/** By slot, the greatest of the numbers of all nodes in it; asked in every frame and remembered by item. */
function byItem(explorer: Explorer, of: (node: number) => number | undefined) {
  const known = new WeakMap<Picture, Map<number, number | undefined>>();
  return (slot: number): number | undefined => {
    const { picture, scene } = explorer.state;
    const item = scene.item[slot] ?? -1;
    const found = known.get(picture) ?? new Map<number, number | undefined>();
    known.set(picture, found);
    if (!found.has(item)) found.set(item, greatest(picture, item, of));
    return found.get(item);
  };
}

function greatest(
  picture: Picture,
  item: number,
  of: (node: number) => number | undefined,
): number | undefined {
  let found: number | undefined;
  for (const leaf of picture.isGroup(item) ? picture.leavesOf(item) : [item]) {
    const number = of(picture.nodeOf(leaf));
    if (number !== undefined && !(number <= (found ?? -1))) found = number;
  }
  return found;
}

const within = (part: number): number => Math.min(1, Math.max(0, part));

function tinted(color: string, part: number, theme: Theme): string {
  const [least, most] = HEAT_PARTS;
  return mixed(color, theme.box, least + part * (most - least));
}
