/**
 * A picture of the whole scene, cached as pixels. It is shown while thousands of boxes are in view, so that a
 * frame costs the same for any program. It is painted in slices and without names, which are painted in every
 * frame.
 */
import { type Camera, type Rect, type Size, visibleWorld } from "../geometry/camera";
import { groundList } from "./drawlist";
import type { Look } from "./look";
import { type Context, paint } from "./painter";

/** Device pixels. Some browsers refuse larger canvases, and each pixel costs four bytes. */
const MOST_PIXELS = 10_000_000;
const LONGEST_SIDE = 8192;
/** World pixels around the scene, so that its border is not cut. */
const MARGIN = 40;
/** One tile is painted per step: a square of at most this many device pixels with about this many boxes. */
const TILE = { most: 1024, least: 128, boxes: 700 } as const;

export class Overview {
  private constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly world: Rect,
    /** Device pixels per world pixel. */
    readonly scale: number,
  ) {}

  /** Paints one tile per step. It can be abandoned after any step. */
  static *paint(look: Look, document: Document, ratio: number): Generator<void, Overview | undefined> {
    const { width, height } = look.scene;
    const world = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
    const area = world.width * world.height;
    const longest = Math.max(world.width, world.height);
    const scale = Math.min(ratio, Math.sqrt(MOST_PIXELS / area), LONGEST_SIDE / longest);
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(world.width * scale);
    canvas.height = Math.ceil(world.height * scale);
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) return undefined;
    context.fillStyle = look.theme.ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const zoom = scale / ratio;
    const crowd = look.scene.item.length / TILE.boxes;
    const fair = Math.sqrt((canvas.width * canvas.height) / Math.max(1, crowd));
    const tile = Math.round(Math.min(TILE.most, Math.max(TILE.least, fair)));
    const size = tile / ratio;
    for (let top = 0; top < canvas.height; top += tile) {
      for (let left = 0; left < canvas.width; left += tile) {
        paintTile(
          context,
          look,
          { x: world.x + left / scale, y: world.y + top / scale, zoom },
          size,
          [left, top],
          ratio,
        );
        yield;
      }
    }
    return new Overview(canvas, world, scale);
  }

  draw(context: Context, camera: Camera, screen: Size, ratio: number): void {
    const view = visibleWorld(camera, screen);
    const left = Math.max(view.x, this.world.x);
    const top = Math.max(view.y, this.world.y);
    const right = Math.min(view.x + view.width, this.world.x + this.world.width);
    const bottom = Math.min(view.y + view.height, this.world.y + this.world.height);
    if (right <= left || bottom <= top) return;
    const from = (x: number, start: number): number => (x - start) * this.scale;
    const to = camera.zoom * ratio;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(
      this.canvas,
      from(left, this.world.x),
      from(top, this.world.y),
      (right - left) * this.scale,
      (bottom - top) * this.scale,
      (left - camera.x) * to,
      (top - camera.y) * to,
      (right - left) * to,
      (bottom - top) * to,
    );
  }

  dispose(): void {
    this.canvas.width = 0;
    this.canvas.height = 0;
  }
}

function paintTile(
  context: CanvasRenderingContext2D,
  look: Look,
  camera: Camera,
  size: number,
  [left, top]: readonly [number, number],
  ratio: number,
): void {
  const list = groundList(look, camera, { width: size, height: size });
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.beginPath();
  context.rect(left, top, size * ratio, size * ratio);
  context.clip();
  paint(context, list, look.scene, camera, { ratio, left, top });
  context.restore();
}
