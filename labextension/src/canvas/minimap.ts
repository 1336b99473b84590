/**
 * The minimap: the whole scene in a corner, with modules and boxes as dots, search results, and the visible
 * area.
 */
import type { Explorer, Marker } from "../explorer";
import { type Camera, type Size, toWorld } from "../geometry/camera";
import { Kind, type Scene } from "../layout";
import { KINDS } from "../snapshot";
import { type Corner, freestCorner } from "./free_corner";
import type { Theme } from "./theme";

/** Its largest size in CSS pixels, and the largest share of the screen that it takes with its margin. */
const MOST = { width: 132, height: 176, part: 0.3 } as const;
const PAD = 7;
/** On a smaller screen, in CSS pixels, it would cover too much. */
const ROOM = { width: 200, height: 180 } as const;
/** The least size of a coloured box, in CSS pixels. */
const LEAST = { width: 3, height: 2 } as const;
/** It shows nothing new where the scene is so many times the screen, or less. */
const ALMOST_WHOLE = 1.12;
/** Milliseconds without a move after which it looks for a freer corner. */
const RESTED = 150;

export class Minimap {
  readonly canvas: HTMLCanvasElement;
  private ground: HTMLCanvasElement | undefined;
  private groundFor: unknown[] = [];
  private readonly off: (() => void)[] = [];
  private frame = 0;
  private resting = 0;
  private corner: Corner = "bottom right";
  /** The scene for which it last looked for a corner. */
  private corneredFor: Scene | undefined;

  constructor(
    private readonly explorer: Explorer,
    private readonly marker: Marker,
    private readonly theme: () => Theme,
    document: Document,
    onMove: (camera: Camera) => void,
    /** Colours of boxes other than those of their kinds; undefined for boxes without one. */
    private readonly colorOf?: (slot: number) => string | undefined,
  ) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "exirviz-minimap";
    this.canvas.setAttribute("aria-hidden", "true");
    const request = (): void => this.request();
    this.off.push(explorer.store.subscribe(request), explorer.viewportStore.subscribe(request));
    const go = (event: PointerEvent): void => {
      if (!(event.buttons & 1)) return;
      const { camera, screen } = explorer.viewportStore.state;
      const to = toWorld(this.camera(), { x: event.offsetX, y: event.offsetY });
      onMove({
        ...camera,
        x: to.x - screen.width / 2 / camera.zoom,
        y: to.y - screen.height / 2 / camera.zoom,
      });
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    this.canvas.addEventListener("pointermove", go);
    request();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.resting);
    for (const off of this.off) off();
    this.canvas.remove();
  }

  /** Repaints after the colours of boxes changed. */
  recolor(): void {
    this.groundFor = [];
    this.request();
  }

  private request(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  /** A camera that shows the whole scene in the corner. */
  private camera(): Camera {
    const { scene } = this.explorer.state;
    const { screen } = this.explorer.viewportStore.state;
    const zoom = Math.min(
      Math.min(MOST.width, MOST.part * screen.width - 2 * PAD) / Math.max(1, scene.width),
      Math.min(MOST.height, MOST.part * screen.height - 2 * PAD) / Math.max(1, scene.height),
      0.12,
    );
    return { x: -PAD / zoom, y: -PAD / zoom, zoom };
  }

  private paint(): void {
    this.frame = 0;
    const { scene, isMapShown } = this.explorer.state;
    const { camera, screen } = this.explorer.viewportStore.state;
    const isWhole =
      scene.width * camera.zoom <= screen.width * ALMOST_WHOLE &&
      scene.height * camera.zoom <= screen.height * ALMOST_WHOLE;
    const hasRoom = screen.width >= ROOM.width && screen.height >= ROOM.height;
    this.canvas.hidden = !isMapShown || isWhole || !hasRoom;
    if (this.canvas.hidden) return;
    const ratio = this.canvas.ownerDocument.defaultView?.devicePixelRatio || 1;
    const small = this.camera();
    const width = Math.round(scene.width * small.zoom + 2 * PAD);
    const height = Math.round(scene.height * small.zoom + 2 * PAD);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.place({ width, height });
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.drawImage(this.whole(width, height, small, ratio), 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.found(context, scene, small);
    const { accent } = this.theme();
    const x = (camera.x - small.x) * small.zoom;
    const y = (camera.y - small.y) * small.zoom;
    const [w, h] = [(screen.width / camera.zoom) * small.zoom, (screen.height / camera.zoom) * small.zoom];
    const left = Math.max(1, x);
    const top = Math.max(1, y);
    context.strokeStyle = accent;
    context.lineWidth = 1.5;
    context.strokeRect(
      left,
      top,
      Math.max(3, Math.min(width - 1, x + w) - left),
      Math.max(3, Math.min(height - 1, y + h) - top),
    );
  }

  /**
   * Chooses a corner: at once for a new scene, else when the picture has stopped. Nothing jumps during a
   * move.
   */
  private place(size: Size): void {
    const { state } = this.explorer;
    clearTimeout(this.resting);
    const look = (): void => {
      const { camera, screen, target } = this.explorer.viewportStore.state;
      const { selected } = this.marker.marks(this.explorer.state, -1);
      const { scene } = this.explorer.state;
      this.corner = freestCorner({ scene, selected, camera: target ?? camera, screen }, size, this.corner);
      this.canvas.dataset["corner"] = this.corner;
    };
    if (this.corneredFor !== state.scene) look();
    else this.resting = Number(setTimeout(look, RESTED));
    this.corneredFor = state.scene;
  }

  /** Boxes, painted once per scene. */
  private whole(width: number, height: number, small: Camera, ratio: number): HTMLCanvasElement {
    const { scene } = this.explorer.state;
    const theme = this.theme();
    const key = [scene, theme, ratio];
    if (this.ground && key.every((part, i) => part === this.groundFor[i])) return this.ground;
    this.groundFor = key;
    this.ground = this.canvas.ownerDocument.createElement("canvas");
    this.ground.width = width * ratio;
    this.ground.height = height * ratio;
    const context = this.ground.getContext("2d");
    if (!context) return this.ground;
    const scale = ratio * small.zoom;
    context.setTransform(scale, 0, 0, scale, PAD * ratio, PAD * ratio);
    const colored = new Map<number, string>();
    for (let slot = 0; slot < scene.item.length; slot++) {
      const [x = 0, y = 0, w = 0, h = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
      const isLeaf = scene.kind[slot] === Kind.Leaf;
      const own = scene.kind[slot] === Kind.Open ? undefined : this.colorOf?.(slot);
      if (own) colored.set(slot, own);
      context.fillStyle = own ?? this.fill(slot, theme);
      context.globalAlpha = isLeaf && !this.colorOf ? 0.7 : 1;
      context.fillRect(x, y, w, h);
    }
    this.enlarged(context, colored, small.zoom);
    return this.ground;
  }

  /** Coloured boxes, enlarged so that small ones are visible. */
  private enlarged(context: CanvasRenderingContext2D, colored: Map<number, string>, zoom: number): void {
    const { scene } = this.explorer.state;
    context.globalAlpha = 1;
    for (const [slot, color] of colored) {
      const [x = 0, y = 0, w = 0, h = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
      const [width, height] = [Math.max(w, LEAST.width / zoom), Math.max(h, LEAST.height / zoom)];
      context.fillStyle = color;
      context.fillRect(x + (w - width) / 2, y + (h - height) / 2, width, height);
    }
  }

  private fill(slot: number, theme: Theme): string {
    const { scene, picture } = this.explorer.state;
    const kind = scene.kind[slot];
    if (kind === Kind.Open) return `rgba(${theme.tint},${slot ? 0.16 : 0.1})`;
    if (this.colorOf) return `rgba(${theme.tint},0.28)`;
    if (kind === Kind.Closed) return `rgba(${theme.tint},0.5)`;
    return KINDS[picture.snapshot.kind(picture.nodeOf(scene.item[slot] ?? 0))].color;
  }

  private found(context: CanvasRenderingContext2D, scene: Scene, small: Camera): void {
    const { matches, selected } = this.marker.marks(this.explorer.state, -1);
    const theme = this.theme();
    const dot = (slot: number, color: string): void => {
      const [x = 0, y = 0, w = 0, h = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
      context.fillStyle = color;
      const [left, top] = [(x + w / 2 - small.x) * small.zoom, (y + h / 2 - small.y) * small.zoom];
      context.fillRect(left - 1.5, top - 1.5, 3, 3);
    };
    matches?.forEach((is, slot) => {
      if (is && scene.kind[slot] !== Kind.Open) dot(slot, theme.match);
    });
    for (const slot of selected) dot(slot, theme.accent);
  }
}
