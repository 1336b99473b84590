/**
 * Changes seen from so far that their boxes are lower than can be seen: marks in their colours, as large as a glance
 * needs. What lies in one cell of a grid over the picture is one mark, and of the grid's rows only those in view are
 * walked, so that there are never more than a screen holds.
 */

import type { Look } from "../../canvas/look";
import type { Primitive } from "../../canvas/primitives";
import type { Camera, Rect, Size } from "../../geometry/camera";
import type { Scene } from "../../layout";
import { CHANGE_KINDS, type ChangeKind, colorOf } from "./change_colors";

/** Screen pixels: boxes that are lower than a cell are marked, whose side is from here to twice as much. */
const CELL = 3;
/** No mark is smaller. */
export const LEAST = { width: 5, height: 4 } as const;

/** The side of a cell in the world; of one zoom and the next it is the same or half. */
export const cellAt = (zoom: number): number => CELL * 2 ** Math.ceil(Math.log2(1 / zoom));

export interface ChangedSlot {
  readonly slot: number;
  readonly kind: ChangeKind;
}

interface Mark {
  readonly rect: Rect;
  readonly kind: ChangeKind;
}

/** By row of the grid, of which a mark goes beyond by less than one. */
type Rows = ReadonlyMap<number, readonly Mark[]>;

/** Of one scene. What was gathered last is kept. */
export class OverviewMarks {
  private last: { readonly cell: number; readonly rows: Rows } | undefined;

  constructor(
    private readonly scene: Scene,
    private readonly changed: readonly ChangedSlot[],
  ) {}

  /** Those of boxes that are lower than a cell, as far as they are in view. */
  primitives({ rect }: Pick<Look, "rect">, camera: Camera, screen: Size): Primitive[] {
    const { zoom } = camera;
    const out: Primitive[] = [];
    for (const { rect: box, kind } of this.inView(rect, camera, screen)) {
      const [width, height] = [
        Math.max(LEAST.width, box.width * zoom),
        Math.max(LEAST.height, box.height * zoom),
      ];
      const x = (box.x + box.width / 2 - camera.x) * zoom - width / 2;
      const y = (box.y + box.height / 2 - camera.y) * zoom - height / 2;
      if (x > screen.width || y > screen.height || x + width < 0 || y + height < 0) continue;
      out.push({ type: "box", x, y, width, height, radius: 0, fill: colorOf(kind) });
    }
    return out;
  }

  private *inView(rect: Look["rect"], { y, zoom }: Camera, { height }: Size): Iterable<Mark> {
    const cell = cellAt(zoom);
    const rows = this.rows(rect, cell);
    const end = Math.floor((y + height / zoom) / cell) + 1;
    for (let row = Math.floor(y / cell) - 1; row <= end; row++) yield* rows.get(row) ?? [];
  }

  /** `rect`: where boxes are now. While they move nothing is kept. */
  private rows(rect: Look["rect"], cell: number): Rows {
    if (rect !== this.scene.rect) return this.gather(rect, cell);
    if (this.last?.cell !== cell) this.last = { cell, rows: this.gather(rect, cell) };
    return this.last.rows;
  }

  private gather(rect: Look["rect"], cell: number): Rows {
    const rows = new Map<number, Map<number, Gathered>>();
    for (const { slot, kind } of this.changed) {
      const height = rect[4 * slot + 3] ?? 0;
      if (height >= cell) continue;
      const [x, y, width] = [rect[4 * slot] ?? 0, rect[4 * slot + 1] ?? 0, rect[4 * slot + 2] ?? 0];
      const [down, across] = [Math.floor((y + height / 2) / cell), Math.floor((x + width / 2) / cell)];
      const row = rows.get(down) ?? new Map<number, Gathered>();
      const gathered = row.get(across) ?? new Gathered();
      rows.set(down, row.set(across, gathered));
      gathered.add({ x, y, width, height }, kind);
    }
    return new Map(Array.from(rows, ([down, row]) => [down, Array.from(row.values(), ({ mark }) => mark)]));
  }
}

/** What lies in one cell. */
class Gathered {
  private left = Number.POSITIVE_INFINITY;
  private top = Number.POSITIVE_INFINITY;
  private right = Number.NEGATIVE_INFINITY;
  private bottom = Number.NEGATIVE_INFINITY;
  /** Of each kind, as in `CHANGE_KINDS`. */
  private readonly counts = CHANGE_KINDS.map(() => 0);

  add({ x, y, width, height }: Rect, kind: ChangeKind): void {
    this.left = Math.min(this.left, x);
    this.top = Math.min(this.top, y);
    this.right = Math.max(this.right, x + width);
    this.bottom = Math.max(this.bottom, y + height);
    const at = CHANGE_KINDS.indexOf(kind);
    this.counts[at] = (this.counts[at] ?? 0) + 1;
  }

  /** In the colour of what there is most of. */
  get mark(): Mark {
    const { counts } = this;
    const kind = CHANGE_KINDS[counts.indexOf(Math.max(...counts))] ?? CHANGE_KINDS[0];
    const { left: x, top: y, right, bottom } = this;
    return { kind, rect: { x, y, width: right - x, height: bottom - y } };
  }
}
