/**
 * The canvas of one mount: paints when something changed, and moves what is in motion. It owns its canvas,
 * frame requests and observers; `dispose` releases them all.
 */
import type { Explorer, Marker } from "../explorer";
import type { Camera, Size } from "../geometry/camera";
import { hitsOf, type Scene } from "../layout";
import type { Measure } from "../picture";
import { Backdrop } from "./backdrop";
import { groundList, markList } from "./drawlist";
import { type Pixels, pngImage, type Shot, svgImage, wholeShot } from "./image";
import { type Above, type Badge, type Look, NO_MARKS, type Paint } from "./look";
import { PHASES } from "./motion";
import { paint, type Target } from "./painter";
import { type Clip, clipper } from "./text";
import { mixed, type Theme } from "./theme";
import type { TintSpread } from "./tint";
import { type Ghost, Transition } from "./transition";

/** Milliseconds of painting the cached picture between frames. */
const SLICE = 8;
/** Device pixels per CSS pixel in print. */
const PAPER = 3;

interface Hover {
  readonly slot: number;
  readonly edge: number;
}

export class CanvasView {
  readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D | null;
  private readonly clip: Clip;
  private frame = 0;
  private growing = 0;
  private scene: Scene;
  private readonly transition: Transition;
  private hover: Hover = { slot: -1, edge: -1 };
  private readonly backdrop = new Backdrop();
  private settling = 0;
  private paintOf: Paint | undefined;
  /** Colours before the stage changed, by slot of the old scene. */
  private paintBefore: Paint | undefined;
  private badgeOf: Badge | undefined;
  private aboveAll: Above | undefined;
  /** Called after the theme changed, to repaint elements beside this canvas. */
  onTheme: (() => void) | undefined;
  private themed: Theme;
  private printed: Theme | undefined;
  private readonly off: (() => void)[] = [];

  constructor(
    private readonly explorer: Explorer,
    private readonly marker: Marker,
    private readonly measure: Measure,
    theme: Theme,
    document: Document,
    readonly isCalm: () => boolean,
  ) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "exirviz-canvas";
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.clip = clipper(measure);
    this.themed = theme;
    this.scene = explorer.state.scene;
    this.transition = new Transition(this.scene, explorer.viewportStore, isCalm);
    this.off.push(
      explorer.store.subscribe((state, before) => {
        if (state.scene !== before.scene) this.change();
        this.request();
      }),
      explorer.viewportStore.subscribe((viewport, before) => {
        if (viewport.target && viewport.target !== before.target) this.transition.goTo(viewport.target);
        this.request();
      }),
    );
    this.request();
  }

  set theme(theme: Theme) {
    this.themed = theme;
    this.onTheme?.();
    this.request();
  }

  get theme(): Theme {
    return this.themed;
  }

  /** Colours of boxes, or none. */
  set boxPaint(paint: Paint | undefined) {
    if (paint === this.paintOf) return;
    this.paintOf = paint;
    this.request();
  }

  /** Additional layers above boxes and lines. */
  set above(above: Above | undefined) {
    this.aboveAll = above;
    this.request();
  }

  /** Whether colours show changes. */
  isCompared = false;

  /** An additional badge in module headers, or none. */
  set boxBadge(badge: Badge | undefined) {
    if (badge === this.badgeOf) return;
    this.badgeOf = badge;
    this.request();
  }

  /** While printing: high resolution and the print theme. */
  set paper(theme: Theme | undefined) {
    this.printed = theme;
    this.resize(this.explorer.viewportStore.state.screen);
  }

  /** CSS pixels. */
  resize(screen: Size): void {
    const ratio = this.ratio;
    const [width, height] = [Math.round(screen.width * ratio), Math.round(screen.height * ratio)];
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    this.explorer.viewport.resized(screen);
    // At once: resizing clears a canvas.
    cancelAnimationFrame(this.frame);
    this.onFrame(performance.now());
  }

  /** What is at a point of the world: a box, else an edge within some screen pixels. */
  at(x: number, y: number): Hover {
    const hits = hitsOf(this.scene);
    const slot = hits.slotAt(x, y);
    const isBox = slot >= 0 && this.scene.kind[slot] !== 2;
    // Zoomed out, thousands of lines are under the pointer: the user does not point at one.
    const { zoom } = this.explorer.viewportStore.state.camera;
    const edge = isBox || zoom < 0.3 ? -1 : hits.edgeNear(x, y, 5 / zoom);
    return { slot, edge };
  }

  set hovered(hover: Hover) {
    if (hover.slot === this.hover.slot && hover.edge === this.hover.edge) return;
    this.hover = hover;
    this.request();
  }

  get hovered(): Hover {
    return this.hover;
  }

  /** Sets the camera at once. */
  moved(camera: Camera): void {
    this.transition.jump(camera);
  }

  look(): Look {
    const { state } = this.explorer;
    return {
      spread: this.spread(),
      picture: state.picture,
      scene: this.scene,
      stretches: state.stretches,
      rect: this.transition.rect,
      lines: this.transition.lines,
      strength: this.transition.strength,
      theme: this.printed ?? this.themed,
      clip: this.clip,
      width: this.measure,
      marks: this.marker.marks(state, this.isGroupOpen(this.hover.slot) ? -1 : this.hover.slot),
      paint: this.paintOf,
      badge: this.badgeOf,
      above: this.aboveAll,
      isCompared: this.isCompared,
      isWeighted: state.isWeighted,
    };
  }

  /** The graph without motion: all of it, or the visible area. */
  asSvg(of: "all" | "view"): string {
    return svgImage(this.look(), this.shot(of));
  }

  /** Undefined where a side would be longer than `most` pixels. */
  asPng(of: "all" | "view", scale: number, most: number): Promise<Pixels | undefined> {
    return pngImage(this.look(), this.shot(of), this.canvas.ownerDocument, scale, most);
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.growing);
    for (const off of this.off) off();
    clearTimeout(this.settling);
    this.backdrop.dispose();
    this.canvas.remove();
  }

  private shot(of: "all" | "view"): Shot {
    const { camera, screen } = this.explorer.viewportStore.state;
    return of === "all" ? wholeShot(this.look()) : { camera, size: screen };
  }

  private get ratio(): number {
    if (this.printed) return PAPER;
    return this.canvas.ownerDocument.defaultView?.devicePixelRatio || 1;
  }

  private isGroupOpen(slot: number): boolean {
    return slot >= 0 && this.scene.kind[slot] === 2;
  }

  request(): void {
    if (this.frame) return;
    this.canvas.dataset["state"] = "moving";
    this.frame = requestAnimationFrame((now) => this.onFrame(now));
  }

  private onFrame(now: number): void {
    this.frame = 0;
    const start = performance.now();
    this.paintNow(now);
    if (this.transition.isOn) {
      this.request();
      return;
    }
    this.reportRest();
    // After a slow frame the cached picture gets as much time: it saves later frames.
    this.grow(Math.max(SLICE, performance.now() - start));
  }

  /** Reports that the picture has stopped and how many boxes its scene has, for tests and other listeners. */
  private reportRest(): void {
    this.canvas.dataset["boxes"] = String(this.scene.item.length);
    this.canvas.dataset["state"] = this.explorer.state.isBusy ? "moving" : "settled";
  }

  private change(): void {
    const { picture, scene, passage } = this.explorer.state;
    const way = passage?.to === scene ? passage : undefined;
    this.hover = { slot: -1, edge: -1 };
    if (way) this.paintBefore = this.colorsNow();
    this.scene = scene;
    this.transition.change(picture, scene, way);
  }

  /** The current colours of boxes, also during a change between stages. */
  private colorsNow(): Paint | undefined {
    const { paintOf, themed } = this;
    const spread = this.spread();
    if (!spread) return paintOf;
    const colors = Array.from(this.scene.item, (_, slot) => {
      const [now, before] = [paintOf?.(slot), spread.before?.(slot)];
      if (now === undefined && before === undefined) return undefined;
      return mixed(now ?? themed.box, before ?? themed.box, spread.part(slot));
    });
    return (slot) => colors[slot];
  }

  /** Between stages, colours change from the top of the screen to its bottom. */
  private spread(): TintSpread | undefined {
    const way = this.transition.betweenStages;
    if (!way) return undefined;
    const { origin, splitFrom } = way.passage;
    const { camera, target, screen } = this.explorer.viewportStore.state;
    const { y, zoom } = target ?? camera;
    const { rect } = this.scene;
    const before = this.paintBefore;
    return {
      before:
        before && ((slot) => before(origin[slot] === -1 ? (splitFrom[slot] ?? -1) : (origin[slot] ?? -1))),
      part: (slot) => {
        const down = (((rect[4 * slot + 1] ?? 0) - y) * zoom) / Math.max(1, screen.height);
        return PHASES.tint(way.progress, Math.min(1, Math.max(0, down)));
      },
    };
  }

  private paintNow(now: number): void {
    this.transition.advance(now);
    const { context, ratio, explorer } = this;
    const { screen } = explorer.viewportStore.state;
    const camera = this.printed ? explorer.viewport.onPaper() : explorer.viewportStore.state.camera;
    if (!context || screen.width < 1 || screen.height < 1) return;
    const look = this.look();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = look.theme.ground;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const target = { ratio, left: 0, top: 0 };
    const ghost = this.transition.ghost();
    if (ghost) this.paintGhost(ghost, look, camera, target);
    if (this.backdrop.replacesBoxes(look, camera, screen, ratio, this.isMoving(now)))
      this.backdrop.draw(context, camera, screen, ratio);
    else paint(context, groundList(look, camera, screen), this.scene, camera, target);
    paint(context, markList(look, camera, screen), this.scene, camera, target);
  }

  private paintGhost(ghost: Ghost, look: Look, camera: Camera, target: Target): void {
    const { context, paintBefore } = this;
    const { screen } = this.explorer.viewportStore.state;
    const removed = { ...look, ...ghost, marks: NO_MARKS, paint: paintBefore, spread: undefined };
    if (context) paint(context, groundList(removed, camera, screen), removed.scene, camera, target);
  }

  /** Whether something moves, or moved a moment ago. A blurred frame is then better than a late one. */
  private isMoving(now: number): boolean {
    const isMoving = this.transition.movedSince(now - 140);
    if (isMoving) this.settle();
    return isMoving;
  }

  /**
   * Paints part of the cached picture, and more in later frames until it is complete. Nothing else is
   * painted.
   */
  private grow(milliseconds: number): void {
    if (this.transition.movesBoxes || this.transition.isOn) return;
    const end = performance.now() + milliseconds;
    if (this.backdrop.grow(this.look(), this.canvas.ownerDocument, this.ratio, end)) this.request();
    if (!this.backdrop.isGrowing || this.growing) return;
    this.growing = requestAnimationFrame(() => {
      this.growing = 0;
      if (this.backdrop.isGrowing) this.grow(SLICE);
    });
  }

  /** Requests one more frame after the moment of blur. */
  private settle(): void {
    clearTimeout(this.settling);
    this.settling = Number(setTimeout(() => this.request(), 150));
  }
}
