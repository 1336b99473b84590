/**
 * Which groups are open when programs are first shown side by side: modules with changes and their
 * counterparts, from the top down, as long as all graphs stay readable in their columns. Modules without
 * changes stay closed. Of a run of identical modules the first is opened, and each that changed differently
 * from its neighbours.
 */
import { Kind, type Scene } from "../../layout";
import type { Screen } from "../../picture";
import { LEAST } from "../camera/fitted_cameras";
import type { Row } from "../model/row";

interface InitialExpansion {
  readonly open: readonly ReadonlySet<number>[];
  readonly scenes: readonly Scene[];
}

/** Names are readable at this zoom. A graph may be this many screens tall, because users scroll down. */
const NAMED = 0.52;
const SCREENS = 1.7;
/** What holds most of the changes is opened even if names are then only just read, and a little is out of view. */
const BEYOND = 1.3;
const MOST = 0.5;
const MARGIN = 18;
/** How many modules are tried. Each costs the layout of one small scene per column. */
const TRIES = 24;
const PATIENCE = 4;

export function initialExpansion(row: Row, screen: Screen): InitialExpansion {
  let shown = seen(
    row,
    row.columns.map(() => new Set()),
  );
  const refused = row.columns.map(() => new Set<number>());
  for (let tries = 0, failures = 0; tries < TRIES && failures < PATIENCE; tries++) {
    const next = nextToOpen(row, shown, refused);
    if (!next) break;
    const { column, item } = next;
    const wider = seen(row, opened(row, shown.open, column, item));
    const isAlone = shown.scenes.every((scene) => scene.item.length === 1);
    const tally = row.tally(column);
    const zoom = tally.changesIn(item) > MOST * tally.total ? LEAST : NAMED;
    if (isAlone || wider.scenes.every((scene, i) => fits(scene, shown.scenes[i], screen, zoom))) {
      shown = wider;
      failures = 0;
      // The first of several identical modules represents those that changed the same way.
      for (const equal of tally.representedBy(item)) refused[column]?.add(equal);
    } else {
      refused[column]?.add(item);
      failures++;
    }
  }
  return shown;
}

/** The scenes with one more group and its counterparts open. */
function opened(
  row: Row,
  open: readonly ReadonlySet<number>[],
  column: number,
  item: number,
): ReadonlySet<number>[] {
  const counterparts = row.counterparts(column, [item]);
  return open.map((each, i) => new Set([...each, ...(counterparts[i] ?? [])]));
}

function seen(row: Row, open: readonly ReadonlySet<number>[]): InitialExpansion {
  const scenes = row.explorers.map((explorer, column) => explorer.sceneOf(open[column] ?? new Set()));
  return { open, scenes };
}

/** The closed group nearest to the top with a change; of several the one with most changes. */
function nextToOpen(
  row: Row,
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
  row: Row,
  refused: readonly ReadonlySet<number>[],
  column: number,
  item: number,
): boolean =>
  row.counterparts(column, [item]).some((items, i) => items.some((each) => refused[i]?.has(each)));

/** A scene that was wider than the screen may stay so, but not grow wider. */
function fits(scene: Scene, before: Scene | undefined, { width, height }: Screen, zoom: number): boolean {
  const wide = zoom === LEAST ? BEYOND * width : width;
  const room = { width: (wide - 2 * MARGIN) / zoom, height: (SCREENS * height - 2 * MARGIN) / zoom };
  return (
    scene.width <= Math.max(room.width, before?.width ?? 0) &&
    scene.height <= Math.max(room.height, before?.height ?? 0)
  );
}
