/**
 * What is open when a program is first shown: as much of the module tree as is readable on the screen.
 *
 * Modules are opened from the top down, the larger ones first, as long as the whole fits at a zoom with all
 * text. The module with most of the program is opened even if it continues below the screen, because a
 * picture begins at its top. Of a run of identical modules the first is opened, as the template of all.
 */
import { Kind, type Scene } from "../layout";
import type { Picture } from "./picture";
import { FIRST } from "./sizes";

export interface Opening {
  readonly open: ReadonlySet<number>;
  readonly scene: Scene;
}

export interface Screen {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** CSS pixels around the picture. */
const MARGIN = 18;
/** A module with more than this share of the ops contains most of the program. */
const MOST = 0.5;
/**
 * With more than this share it is opened even if it is wider than the screen: how many screens, at most. On a
 * narrow screen, closed, it would show nothing: then as many as on a screen of the usual width.
 */
const NEARLY_ALL = 2 / 3;
const WIDE = 1.5;
const USUAL_WIDTH = 930;
/** The most boxes of a module that continues beyond the screen. */
const BOXES = 400;
/** How many modules are tried; each costs one layout of a small scene. */
const TRIES = 24;
/** After this many misfits in a row the screen is full. */
const PATIENCE = 3;
/** The least area of a scene per box, in world pixels squared. */
const LEAST_ROOM = 28_000;

export function opening(picture: Picture, screen: Screen): Opening {
  let open: ReadonlySet<number> = new Set();
  let scene = sceneOf(picture, open);
  const refused = new Set<number>();
  for (let tries = 0, failures = 0; tries < TRIES && failures < PATIENCE; tries++) {
    const candidate = nextToOpen(picture, scene, refused);
    if (candidate === -1) break;
    const wider = openedIn(picture, screen, scene, open, candidate);
    if (wider) {
      ({ open, scene } = wider);
      failures = 0;
      for (const equal of picture.equalSiblings(candidate)) refused.add(equal);
    } else {
      refused.add(candidate);
      failures++;
    }
  }
  return { open, scene };
}

/** With one more open group; undefined if that does not fit. */
function openedIn(
  picture: Picture,
  screen: Screen,
  scene: Scene,
  before: ReadonlySet<number>,
  group: number,
): Opening | undefined {
  const isAlone = scene.item.length === 1;
  const share = picture.words.opsOf(group) / picture.words.opsOf(picture.count);
  const isMost = share > MOST;
  const room = (screen.width * screen.height) / FIRST.zoom ** 2;
  const open = new Set([...before, group]);
  const view = picture.view(open, new Set());
  const boxes = scene.item.length + picture.seenIn(group, view);
  const isMuch = isMost ? boxes > BOXES : boxes * LEAST_ROOM > room;
  if (!isAlone && isMuch) return undefined;
  const wider = picture.layout.scene(view);
  return isAlone || fits(wider, screen, share) ? { open, scene: wider } : undefined;
}

const sceneOf = (picture: Picture, open: ReadonlySet<number>): Scene =>
  picture.layout.scene(picture.view(open, new Set()));

function fits(scene: Scene, { width, height }: Screen, share: number): boolean {
  if (share > NEARLY_ALL) return scene.width * FIRST.zoom <= Math.max(width, USUAL_WIDTH) * WIDE;
  if (share > MOST) return scene.width * FIRST.least <= width - 2 * MARGIN;
  return scene.width * FIRST.zoom <= width - 2 * MARGIN && scene.height * FIRST.zoom <= height - 2 * MARGIN;
}

/** The closed group nearest to the top; of several the one with most ops; -1 if none is left. */
function nextToOpen(picture: Picture, scene: Scene, refused: ReadonlySet<number>): number {
  let best = -1;
  let bestDepth = Number.POSITIVE_INFINITY;
  scene.item.forEach((item, slot) => {
    if (scene.kind[slot] !== Kind.Closed || refused.has(item) || picture.words.opsOf(item) === 0) return;
    const depth = scene.depth[slot] ?? 0;
    const isBetter =
      depth < bestDepth || (depth === bestDepth && picture.words.opsOf(item) > picture.words.opsOf(best));
    if (!isBetter) return;
    best = item;
    bestDepth = depth;
  });
  return best;
}
