/**
 * Changes when zoomed out so far that their boxes are too low to see: marks in their colours, large enough to
 * notice. Changes in one cell of a grid become one mark, and only the grid's rows in view are read, so that
 * there are never more marks than fit on a screen.
 */

import type { Look } from "../../canvas/look";
import type { Primitive } from "../../canvas/primitives";
import type { Camera, Rect, Size } from "../../geometry/camera";
import type { Scene } from "../../layout";
import { CHANGE_KINDS, type ChangeKind, colorOf } from "./change_colors";

/** Screen pixels: the side of a cell is from this to twice as much. Boxes lower than a cell are marked. */
const CELL = 3;
/** The least size of a mark. */
export const LEAST = { width: 5, height: 4 } as const;

/** The side of a cell in the world. From one zoom to the next it stays or is halved. */
export const cellAt = (zoom: number): number => CELL * 2 ** Math.ceil(Math.log2(1 / zoom));

export interface ChangedSlot {
  readonly slot: number;
  readonly kind: ChangeKind;
}

interface Mark {
  readonly rect: Rect;
  readonly kind: ChangeKind;
}

/** By row of the grid. A mark exceeds its row by less than one row. */
type Rows = ReadonlyMap<number, readonly Mark[]>;

/** The marks of one scene. The last result is cached. */
export class OverviewMarks {
  private last: { readonly cell: number; readonly rows: Rows } | undefined;

  constructor(
    private readonly scene: Scene,
    private readonly changed: readonly ChangedSlot[],
  ) {}

  /** Marks of the boxes in view that are lower than a cell. */
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

  /** `rect`: the current boxes. Nothing is cached while they move. */
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

/** The changes in one cell. */
class Gathered {
  private left = Number.POSITIVE_INFINITY;
  private top = Number.POSITIVE_INFINITY;
  private right = Number.NEGATIVE_INFINITY;
  private bottom = Number.NEGATIVE_INFINITY;
  /** By kind, as in `CHANGE_KINDS`. */
  private readonly counts = CHANGE_KINDS.map(() => 0);

  add({ x, y, width, height }: Rect, kind: ChangeKind): void {
    this.left = Math.min(this.left, x);
    this.top = Math.min(this.top, y);
    this.right = Math.max(this.right, x + width);
    this.bottom = Math.max(this.bottom, y + height);
    const at = CHANGE_KINDS.indexOf(kind);
    this.counts[at] = (this.counts[at] ?? 0) + 1;
  }

  /** A mark in the colour of the most frequent kind. */
  get mark(): Mark {
    const { counts } = this;
    const kind = CHANGE_KINDS[counts.indexOf(Math.max(...counts))] ?? CHANGE_KINDS[0];
    const { left: x, top: y, right, bottom } = this;
    return { kind, rect: { x, y, width: right - x, height: bottom - y } };
  }
}
