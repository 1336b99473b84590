/**
 * The camera: the point of the world at the screen's top left, and a zoom. Pure and immutable.
 *
 * World: layout pixels. Screen: CSS pixels of the canvas. screen = (world - camera) · zoom.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rect extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Camera {
  /** World coordinates of the screen's top left. */
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export const ZOOM = { least: 0.005, most: 4 } as const;

export const toScreen = (camera: Camera, world: Point): Point => ({
  x: (world.x - camera.x) * camera.zoom,
  y: (world.y - camera.y) * camera.zoom,
});

export const toWorld = (camera: Camera, screen: Point): Point => ({
  x: screen.x / camera.zoom + camera.x,
  y: screen.y / camera.zoom + camera.y,
});

/** The part of the world on a screen of this size. */
export const visibleWorld = (camera: Camera, screen: Size): Rect => ({
  x: camera.x,
  y: camera.y,
  width: screen.width / camera.zoom,
  height: screen.height / camera.zoom,
});

export const grown = (rect: Rect, by: number): Rect => ({
  x: rect.x - by,
  y: rect.y - by,
  width: rect.width + 2 * by,
  height: rect.height + 2 * by,
});

/** Whether a rectangle of the world is completely in view. */
export function contains(camera: Camera, screen: Size, { x, y, width, height }: Rect): boolean {
  const view = visibleWorld(camera, screen);
  return view.x <= x && view.y <= y && x + width <= view.x + view.width && y + height <= view.y + view.height;
}

/** Moves the picture by screen pixels, as a drag does. */
export const panned = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x - dx / camera.zoom,
  y: camera.y - dy / camera.zoom,
});

/** Zooms around a point of the screen. */
export function zoomedAt(camera: Camera, at: Point, factor: number): Camera {
  const zoom = Math.min(ZOOM.most, Math.max(ZOOM.least, camera.zoom * factor));
  const world = toWorld(camera, at);
  return { x: world.x - at.x / zoom, y: world.y - at.y / zoom, zoom };
}

/** If the fingers are closer, in screen pixels, the zoom would jump. */
const LEAST_APART = 20;

/** One of two fingers moved: the picture follows the middle between them, and the zoom their distance. */
export function pinched(camera: Camera, other: Point, before: Point, after: Point): Camera {
  const middle = (p: Point): Point => ({ x: (p.x + other.x) / 2, y: (p.y + other.y) / 2 });
  const apart = (p: Point): number => Math.max(LEAST_APART, Math.hypot(p.x - other.x, p.y - other.y));
  const [from, to] = [middle(before), middle(after)];
  return zoomedAt(panned(camera, to.x - from.x, to.y - from.y), to, apart(after) / apart(before));
}

interface FitOptions {
  /** Free screen pixels on all sides, or above, below and beside. */
  readonly margin?: number;
  readonly above?: number;
  readonly below?: number;
  /** The largest zoom. */
  readonly most?: number;
  /** The smallest zoom: what does not fit then is shown from its top. */
  readonly least?: number;
}

/** Centres a rectangle of the world; if it is too tall at the smallest zoom, shows it from its top. */
export function fitted(world: Rect, screen: Size, options: FitOptions = {}): Camera {
  const { margin = 24, most = 1.25, least = ZOOM.least } = options;
  const { above = margin, below = margin } = options;
  const room = {
    width: Math.max(1, screen.width - 2 * margin),
    height: Math.max(1, screen.height - above - below),
  };
  const fits = Math.min(room.width / Math.max(1, world.width), room.height / Math.max(1, world.height));
  const zoom = Math.min(ZOOM.most, Math.max(least, ZOOM.least, Math.min(most, fits)));
  const spareX = screen.width / zoom - world.width;
  const spareY = (screen.height - above - below) / zoom - world.height;
  return {
    zoom,
    x: world.x - spareX / 2,
    y: world.y - above / zoom - Math.max(0, spareY / 2),
  };
}

/** The least move that brings a rectangle into view; zooms out only if it does not fit. */
export function revealed(camera: Camera, world: Rect, screen: Size, margin = 60): Camera {
  const { zoom } = camera;
  if (world.width * zoom > screen.width - 2 * margin || world.height * zoom > screen.height - 2 * margin) {
    return fitted(world, screen, { margin, most: zoom });
  }
  const at = toScreen(camera, world);
  const right = screen.width - margin - world.width * zoom;
  const bottom = screen.height - margin - world.height * zoom;
  const dx = at.x < margin ? margin - at.x : Math.min(0, right - at.x);
  const dy = at.y < margin ? margin - at.y : Math.min(0, bottom - at.y);
  return panned(camera, dx, dy);
}

/** Part of the way from one camera to another; the zoom changes by a constant ratio. */
export function between(a: Camera, b: Camera, t: number, screen: Size): Camera {
  if (t >= 1) return b;
  const zoom = a.zoom * (b.zoom / a.zoom) ** t;
  const middle = (camera: Camera): Point => toWorld(camera, { x: screen.width / 2, y: screen.height / 2 });
  const from = middle(a);
  const to = middle(b);
  return {
    zoom,
    x: from.x + (to.x - from.x) * t - screen.width / 2 / zoom,
    y: from.y + (to.y - from.y) * t - screen.height / 2 / zoom,
  };
}
