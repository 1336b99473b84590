/**
 * The overlays of a profile: a node's colour is its own number, a closed module's that of its content. Nodes
 * and modules have separate scales, because a module may cost a thousand times as much as its ops; the legend
 * shows both.
 */
import type { Scene } from "../layout";
import { HEAT, HEAT_PARTS, type Overlay, type OverlayChoice, type Ramp, ramp, TICKS } from "../overlay";
import type { Picture } from "../picture";
import { byteText, flopText, shareText, timeText } from "../snapshot";
import { Boxes, type Join } from "./boxes";
import { within } from "./nested_cost";
import type { Column, Profile } from "./profile";
import { BASIS_TEXT, basisText, spreadText } from "./profile_text";

interface Measure {
  /** The name of the overlay in a saved view. */
  readonly name: string;
  readonly title: string;
  readonly column: Column;
  readonly join: Join;
  /** Which number of a module is used. */
  readonly of: "total" | "own";
  readonly say: (value: number) => string;
}

const TIME: Measure = {
  name: "cost:time",
  title: "time",
  column: "time",
  join: "sum",
  of: "total",
  say: timeText,
};

export const MEASURES: readonly Measure[] = [
  TIME,
  { name: "cost:own", title: "self time", column: "time", join: "sum", of: "own", say: timeText },
  { name: "cost:live", title: "live bytes", column: "live_bytes", join: "most", of: "total", say: byteText },
  {
    name: "cost:new",
    title: "allocated",
    column: "allocated_bytes",
    join: "sum",
    of: "total",
    say: byteText,
  },
  { name: "cost:flops", title: "FLOPs", column: "flops", join: "sum", of: "total", say: flopText },
  {
    name: "cost:moved",
    title: "bytes moved",
    column: "bytes_moved",
    join: "sum",
    of: "total",
    say: byteText,
  },
];

/** The overlay that is shown when a profile arrives. */
export const FIRST_MEASURE = TIME.name;

const CLOSED = 1;
const LEAF = 0;

/** Undefined if the choice is not a profile's. */
export function costOverlay(
  profile: Profile,
  picture: Picture,
  scene: Scene,
  { name, scale }: OverlayChoice,
): Overlay | undefined {
  const measure = MEASURES.find((each) => each.name === name);
  if (!measure) return undefined;
  const { column, say, of, title } = measure;
  const boxes = boxesOf(profile, picture, column, measure.join);
  const values = Array.from(profile.nodes, (node, row) => (node < 0 ? undefined : profile.at(column, row)));
  const nodes = ramp(defined(values), scale);
  const slots = Array.from(scene.kind, (kind, slot) =>
    kind === CLOSED ? boxes.at(scene, slot, of) : undefined,
  );
  // Of all groups, so that a colour means the same whatever is open.
  const modules = ramp(defined(boxes.groups(of)), scale);
  const [least, most] = HEAT_PARTS;
  const paint = (steps: Ramp, value: number | undefined) =>
    value === undefined ? undefined : { color: HEAT, part: least + (most - least) * steps.at(value) };
  const isTime = column === "time";
  const hasNumbers = defined(values).length > 0;
  return {
    title,
    legend: !hasNumbers
      ? { type: "categories", title: `${title}: unknown for all ops`, swatches: [] }
      : {
          type: "numbers",
          title: `${title}, ${scale}`,
          low: say(nodes.low),
          high: say(nodes.high),
          ticks: TICKS.map((part) => say(nodes.value(part))),
          color: HEAT,
          parts: HEAT_PARTS,
          ...(defined(slots).length > 0 && {
            rows: { first: "op", second: "module", ticks: TICKS.map((part) => say(modules.value(part))) },
          }),
        },
    color: (node) => paint(nodes, profile.of(column, node)),
    text: (node) => nodeText(profile, node, measure) ?? delegateText(profile, node, measure),
    box: (slot) => (scene.kind[slot] === LEAF ? undefined : paint(modules, slots[slot])),
    boxText: (slot) => {
      const value = boxes.at(scene, slot, of);
      if (value === undefined) return undefined;
      if (!isTime) return say(value);
      const basis = basisText(boxes.bases(scene, slot));
      return [
        `${say(value)} · ${shareText(profile.share(value))} of the run`,
        ...(basis ? [basis] : []),
      ].join(", ");
    },
  };
}

/** Before a time that was not measured, if there is no room for the word. */
const SIGN = "≈";

/** "≈ emulated": the meaning of the sign in badges; undefined if they need none. */
export function signText(profile: Profile, painted: string): string | undefined {
  if (measureOf(painted).column !== "time") return undefined;
  const bases = new Set(Array.from(profile.nodes, (_, row) => profile.basis(row)));
  const text = basisText([...bases].filter((basis) => basis !== "measured"));
  return text ? `${SIGN} ${text}` : undefined;
}

/**
 * "14.8 ms · 3.1%" for a slot, or the number that it is coloured by, and shorter texts: "14.8 ms · 3.1% ·
 * emulated", "≈ 14.8 ms · 3.1%", "≈ 14.8 ms". Undefined for an op's own box.
 */
export function badgeOf(
  profile: Profile,
  picture: Picture,
  scene: Scene,
  painted: string,
): (slot: number) => readonly string[] | undefined {
  const { column, join, of, say } = measureOf(painted);
  const boxes = boxesOf(profile, picture, column, join);
  return (slot) => {
    if (scene.kind[slot] === LEAF) return undefined;
    const value = boxes.at(scene, slot, of);
    if (value === undefined) return undefined;
    if (column !== "time") return [say(value)];
    const share = shareText(profile.share(value));
    const basis = basisText(boxes.bases(scene, slot));
    const short = basis ? `${SIGN} ${say(value)}` : say(value);
    return [...(basis ? [`${say(value)} · ${share} · ${basis}`] : []), `${short} · ${share}`, short];
  };
}

const measureOf = (painted: string): Measure => MEASURES.find(({ name }) => name === painted) ?? TIME;

/** The value, and how it was obtained. */
function nodeText(profile: Profile, node: number, { column, say }: Measure): string | undefined {
  const row = profile.row(node);
  const value = row === undefined ? undefined : profile.at(column, row);
  if (row === undefined || value === undefined) return undefined;
  if (column !== "time") return say(value);
  const basis = profile.basis(row);
  const inner = within(profile, node);
  const own = `${say(value)} · ${shareText(profile.share(value))} of the run`;
  const around = inner && `, within ${say(inner.time)} · ${shareText(profile.share(inner.time))}`;
  const how = inner && basisText(inner.bases);
  return [
    inner ? `own ${own}${around}${how ? `, ${how}` : ""}` : own,
    spreadText(profile, row),
    ...(basis === "measured" || how ? [] : [BASIS_TEXT[basis]]),
  ].join("; ");
}

/** For an op in a delegate that was measured as one: the delegate's value. */
function delegateText(profile: Profile, node: number, measure: Measure): string | undefined {
  const around = profile.snapshot.delegateAround(node);
  const text = around && nodeText(profile, around.call, measure);
  return text && `${around.name}: ${text}`;
}

const made = new WeakMap<Profile, WeakMap<Picture, Map<string, Boxes>>>();

function boxesOf(profile: Profile, picture: Picture, column: Column, join: Join): Boxes {
  const ofPicture = made.get(profile) ?? new WeakMap<Picture, Map<string, Boxes>>();
  made.set(profile, ofPicture);
  const known = ofPicture.get(picture) ?? new Map<string, Boxes>();
  ofPicture.set(picture, known);
  const found = known.get(column) ?? new Boxes(profile, picture, column, join);
  known.set(column, found);
  return found;
}

const defined = (values: readonly (number | undefined)[]): number[] =>
  values.filter((value) => value !== undefined);
