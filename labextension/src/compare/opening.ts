/**
 * What is open when two programs are first seen side by side: modules that hold changes, from the top down, each with
 * its mate, as long as both pictures can be read in their halves. Modules without a change stay closed.
 */
import { Kind, type Scene } from "../layout";
import type { Screen } from "../picture";
import { otherSide, SIDES, type Side } from "./changes";
import type { Mates } from "./mates";
import type { Tally } from "./tally";

type Two<T> = readonly [T, T];

export interface FirstSight {
  readonly open: Two<ReadonlySet<number>>;
  readonly scenes: Two<Scene>;
}

/** Names are read at this zoom; a picture may be this many screens tall, for one walks down it. */
const NAMED = 0.52;
const SCREENS = 1.7;
/** What holds most of the changes is opened even if names are then only just read, and a little is out of sight. */
const LEAST = 0.36;
const BEYOND = 1.3;
const MOST = 0.5;
const MARGIN = 18;
/** Modules that are tried; each costs the layout of two small scenes. */
const TRIES = 24;
const PATIENCE = 4;

export function firstSight(mates: Mates, tallies: Two<Tally>, screen: Screen): FirstSight {
  let sight = seen(mates, [new Set(), new Set()]);
  const refused: Two<Set<number>> = [new Set(), new Set()];
  const total = tallies[1].total;
  for (let tries = 0, vain = 0; tries < TRIES && vain < PATIENCE; tries++) {
    const next = nextToOpen(mates, tallies, sight, refused);
    if (!next) break;
    const { side, item } = next;
    const wider = seen(mates, opened(mates, sight.open, side, item));
    const isAlone = sight.scenes.every((scene) => scene.item.length === 1);
    const isMost = tallies[side].changesIn(item) > MOST * total;
    const zoom = isMost ? LEAST : NAMED;
    if (isAlone || wider.scenes.every((scene, i) => fits(scene, sight.scenes[i], screen, zoom))) {
      sight = wider;
      vain = 0;
      // One of several equals is the template of all.
      for (const equal of mates.pictures[side].equalSiblings(item)) refused[side].add(equal);
    } else {
      refused[side].add(item);
      vain++;
    }
  }
  return sight;
}

/** With one more group open, and its mate. */
export function opened(
  mates: Mates,
  open: Two<ReadonlySet<number>>,
  side: Side,
  item: number,
): [ReadonlySet<number>, ReadonlySet<number>] {
  const found: [Set<number>, Set<number>] = [new Set(open[0]), new Set(open[1])];
  found[side].add(item);
  const mate = mates.of(side, item);
  if (mate >= 0) found[otherSide(side)].add(mate);
  return found;
}

function seen({ pictures }: Mates, open: Two<ReadonlySet<number>>): FirstSight {
  const scene = (side: Side): Scene =>
    pictures[side].layout.scene(pictures[side].view(open[side], new Set()));
  return { open, scenes: [scene(0), scene(1)] };
}

/** The closed group nearest to the top that holds a change; of several the one with most. */
function nextToOpen(
  mates: Mates,
  tallies: Two<Tally>,
  { scenes }: FirstSight,
  refused: Two<ReadonlySet<number>>,
): { readonly side: Side; readonly item: number } | undefined {
  let best: { side: Side; item: number; depth: number; changes: number } | undefined;
  for (const side of SIDES) {
    scenes[side].item.forEach((item, slot) => {
      if (scenes[side].kind[slot] !== Kind.Closed || isRefused(mates, refused, side, item)) return;
      const [depth, changes] = [scenes[side].depth[slot] ?? 0, tallies[side].changesIn(item)];
      if (!changes || (best && (depth > best.depth || (depth === best.depth && changes <= best.changes))))
        return;
      best = { side, item, depth, changes };
    });
  }
  return best;
}

function isRefused(mates: Mates, refused: Two<ReadonlySet<number>>, side: Side, item: number): boolean {
  return refused[side].has(item) || refused[otherSide(side)].has(mates.of(side, item));
}

/** What was wider than the screen before may stay so, and grow no wider. */
function fits(scene: Scene, before: Scene | undefined, { width, height }: Screen, zoom: number): boolean {
  const wide = zoom === LEAST ? BEYOND * width : width;
  const room = { width: (wide - 2 * MARGIN) / zoom, height: (SCREENS * height - 2 * MARGIN) / zoom };
  return (
    scene.width <= Math.max(room.width, before?.width ?? 0) &&
    scene.height <= Math.max(room.height, before?.height ?? 0)
  );
}
