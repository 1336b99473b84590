/**
 * Changes seen from so far that their boxes are lower than can be seen: marks in their colours, as large as a glance
 * needs. What lies in one cell of a grid over the picture is one mark, so that there are never more than a screen holds.
 */
import type { Camera, Rect, Size } from "../canvas/camera";
import type { Look } from "../canvas/look";
import type { Primitive } from "../canvas/primitives";
import type { Scene } from "../layout";
import { CHANGE_KINDS, type ChangeKind, colorOf } from "./colors";

/** Screen pixels: boxes that are lower than a cell are marked, whose side is from here to twice as much. */
const CELL = 3;
/** No mark is smaller. */
export const LEAST = { width: 5, height: 4 } as const;

/** More cells than lie above each other in any picture. */
const CELLS_DOWN = 2 ** 26;

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

/** Of one scene. What was gathered last is kept. */
export class Afar {
  private last: { readonly cell: number; readonly marks: readonly Mark[] } | undefined;

  constructor(
    private readonly scene: Scene,
    private readonly changed: readonly ChangedSlot[],
  ) {}

  /** Those of boxes that are lower than a cell, as far as they are in view. */
  primitives({ rect }: Pick<Look, "rect">, camera: Camera, screen: Size): Primitive[] {
    const { zoom } = camera;
    const out: Primitive[] = [];
    for (const { rect: box, kind } of this.marks(rect, cellAt(zoom))) {
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

  /** `rect`: where boxes are now. While they move nothing is kept. */
  private marks(rect: Look["rect"], cell: number): readonly Mark[] {
    if (rect !== this.scene.rect) return this.gather(rect, cell);
    if (this.last?.cell !== cell) this.last = { cell, marks: this.gather(rect, cell) };
    return this.last.marks;
  }

  private gather(rect: Look["rect"], cell: number): readonly Mark[] {
    const found = new Map<number, Gathered>();
    for (const { slot, kind } of this.changed) {
      const height = rect[4 * slot + 3] ?? 0;
      if (height >= cell) continue;
      const [x, y, width] = [rect[4 * slot] ?? 0, rect[4 * slot + 1] ?? 0, rect[4 * slot + 2] ?? 0];
      const key = Math.floor((x + width / 2) / cell) * CELLS_DOWN + Math.floor((y + height / 2) / cell);
      let gathered = found.get(key);
      if (!gathered) {
        gathered = new Gathered();
        found.set(key, gathered);
      }
      gathered.add({ x, y, width, height }, kind);
    }
    return [...found.values()].map((each) => each.mark);
  }
}

/** What lies in one cell. */
class Gathered {
  private left = Number.POSITIVE_INFINITY;
  private top = Number.POSITIVE_INFINITY;
  private right = Number.NEGATIVE_INFINITY;
  private bottom = Number.NEGATIVE_INFINITY;
  private readonly counts = new Map<ChangeKind, number>();

  add({ x, y, width, height }: Rect, kind: ChangeKind): void {
    this.left = Math.min(this.left, x);
    this.top = Math.min(this.top, y);
    this.right = Math.max(this.right, x + width);
    this.bottom = Math.max(this.bottom, y + height);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  /** In the colour of what there is most of. */
  get mark(): Mark {
    const count = (kind: ChangeKind): number => this.counts.get(kind) ?? 0;
    const kind = CHANGE_KINDS.reduce((most, each) => (count(each) > count(most) ? each : most));
    const { left: x, top: y, right, bottom } = this;
    return { kind, rect: { x, y, width: right - x, height: bottom - y } };
  }
}
