/**
 * What is open when programs are first seen side by side: modules that hold changes, from the top down, each with its
 * counterparts, as long as all pictures can be read in their columns. Modules without a change stay closed. Of a run of equals
 * the first is opened, and each that changed otherwise than its neighbours, so that it stands for itself.
 */
import { Kind, type Scene } from "../../layout";
import type { Screen } from "../../picture";
import { LEAST } from "../camera/fitted_cameras";
import type { Row } from "../model/row";

/** What is opened together: a row of columns, or one picture alone. */
export type Opened = Pick<Row, "columns" | "explorers" | "explorer" | "tally" | "counterparts">;

interface InitialExpansion {
  readonly open: readonly ReadonlySet<number>[];
  readonly scenes: readonly Scene[];
}

/** Names are read at this zoom; a picture may be this many screens tall, for one walks down it. */
const NAMED = 0.52;
const SCREENS = 1.7;
/** What holds most of the changes is opened even if names are then only just read, and a little is out of view. */
const BEYOND = 1.3;
const MOST = 0.5;
const MARGIN = 18;
/** Modules that are tried; each costs the layout of one small scene a column. */
const TRIES = 24;
const PATIENCE = 4;

export function initialExpansion(row: Opened, screen: Screen): InitialExpansion {
  let shown = seen(
    row,
    row.columns.map(() => new Set()),
  );
  const refused = row.columns.map(() => new Set<number>());
  for (let tries = 0, vain = 0; tries < TRIES && vain < PATIENCE; tries++) {
    const next = nextToOpen(row, shown, refused);
    if (!next) break;
    const { column, item } = next;
    const wider = seen(row, opened(row, shown.open, column, item));
    const isAlone = shown.scenes.every((scene) => scene.item.length === 1);
    const tally = row.tally(column);
    const zoom = tally.changesIn(item) > MOST * tally.total ? LEAST : NAMED;
    if (isAlone || wider.scenes.every((scene, i) => fits(scene, shown.scenes[i], screen, zoom))) {
      shown = wider;
      vain = 0;
      // One of several equals is the template of those that changed alike.
      for (const equal of tally.toldBy(item)) refused[column]?.add(equal);
    } else {
      refused[column]?.add(item);
      vain++;
    }
  }
  return shown;
}

/** With one more group open, and its counterparts. */
function opened(
  row: Opened,
  open: readonly ReadonlySet<number>[],
  column: number,
  item: number,
): ReadonlySet<number>[] {
  const counterparts = row.counterparts(column, [item]);
  return open.map((each, i) => new Set([...each, ...(counterparts[i] ?? [])]));
}

function seen(row: Opened, open: readonly ReadonlySet<number>[]): InitialExpansion {
  const scenes = row.explorers.map((explorer, column) => explorer.sceneOf(open[column] ?? new Set()));
  return { open, scenes };
}

/** The closed group nearest to the top that holds a change; of several the one with most. */
function nextToOpen(
  row: Opened,
  { scenes }: InitialExpansion,
  refused: readonly ReadonlySet<number>[],
): { readonly column: number; readonly item: number } | undefined {
  let best: { column: number; item: number; depth: number; changes: number } | undefined;
  scenes.forEach((scene, column) => {
    const tally = row.tally(column);
    scene.kind.forEach((kind, slot) => {
      if (kind !== Kind.Closed) return;
      const depth = scene.depth[slot] ?? 0;
      for (const item of tally.unlikeAt(scene, slot)) {
        const changes = tally.changesIn(item);
        if (!changes || isRefused(row, refused, column, item)) continue;
        if (best && (depth > best.depth || (depth === best.depth && changes <= best.changes))) continue;
        best = { column, item, depth, changes };
      }
    });
  });
  return best;
}

const isRefused = (
  row: Opened,
  refused: readonly ReadonlySet<number>[],
  column: number,
  item: number,
): boolean =>
  row.counterparts(column, [item]).some((items, i) => items.some((each) => refused[i]?.has(each)));

/** What was wider than the screen before may stay so, and grow no wider. */
function fits(scene: Scene, before: Scene | undefined, { width, height }: Screen, zoom: number): boolean {
  const wide = zoom === LEAST ? BEYOND * width : width;
  const room = { width: (wide - 2 * MARGIN) / zoom, height: (SCREENS * height - 2 * MARGIN) / zoom };
  return (
    scene.width <= Math.max(room.width, before?.width ?? 0) &&
    scene.height <= Math.max(room.height, before?.height ?? 0)
  );
}
