/**
 * Dragging along the stages: the picture follows the pointer between stages. Stages are read and laid out
 * during the drag; only its last position counts.
 */
import type { Camera } from "../geometry/camera";
import type { Explorer } from "./explorer";
import type { Stepping } from "./stepping";

export class StageScrub {
  /** The position of the drag: 1.5 is halfway from the second stage of the path to the third. */
  private at: number;
  /** Indices of the two stages that the picture is between; the scene is the second one's. */
  private between: readonly [number, number] | undefined;
  /** The camera of each stage when it was left, restored on return. */
  private readonly cameras = new Map<string, Camera>();
  private work: Promise<void> | undefined;
  private isOver = false;

  /** `path`: stages, each made from the previous one. `isCalm`: the user prefers reduced motion. */
  constructor(
    private readonly explorer: Explorer,
    private readonly stepping: Stepping,
    private readonly path: readonly string[],
    private readonly isCalm: boolean,
  ) {
    this.at = this.shown;
    explorer.history.remember();
  }

  /** The drag moved; resolves when the picture has followed. */
  drag(at: number): Promise<void> {
    this.at = Math.min(this.path.length - 1, Math.max(0, this.isCalm ? Math.round(at) : at));
    this.work ??= this.follow().finally(() => {
      this.work = undefined;
    });
    return this.work;
  }

  /** The drag ended: the picture moves to the nearest stage. */
  async end(): Promise<void> {
    const nearest = Math.round(this.at);
    this.isOver = true;
    await this.work;
    const { between } = this;
    this.between = undefined;
    this.explorer.viewportStore.set({ scrub: undefined });
    if (nearest !== (between?.[1] ?? this.shown)) await this.show(nearest);
  }

  private get shown(): number {
    return this.path.indexOf(this.explorer.state.stage);
  }

  /** Moves until the picture is between the two stages around the drag position. */
  private async follow(): Promise<void> {
    while (!this.isOver) {
      const first = Math.min(Math.floor(this.at), this.path.length - 2);
      const wanted = [first, first + 1];
      const { between } = this;
      if (between && Math.min(...between) <= this.at && this.at <= Math.max(...between)) {
        this.explorer.viewportStore.set({ scrub: Math.abs(this.at - between[0]) });
        return;
      }
      if (this.shown === this.at || !(await this.stepTo(wanted))) return;
    }
  }

  /** Moves one stage nearer to the drag position. False if that stage could not be shown. */
  private async stepTo(wanted: readonly number[]): Promise<boolean> {
    const { between, shown } = this;
    const end = (at: number): number => Math.abs(at - this.at);
    if (between) {
      // First finish at one of the two stages that it is between.
      const [from, to] = between;
      this.between = undefined;
      this.explorer.viewportStore.set({ scrub: 1 });
      return end(from) < end(to) ? await this.show(from) : true;
    }
    const isNext = wanted.includes(shown);
    const [low = 0, high = 0] = wanted;
    const other = isNext ? low + high - shown : shown < low ? shown + 1 : shown - 1;
    if (!this.isCalm) this.explorer.viewportStore.set({ scrub: isNext ? 0 : 1 });
    const isThere = await this.show(other);
    if (isThere && isNext && !this.isCalm) this.between = [shown, other];
    return isThere;
  }

  private async show(number: number): Promise<boolean> {
    const { explorer, stepping, path, cameras } = this;
    const stage = path[number] ?? "";
    const { camera, target } = explorer.viewportStore.state;
    cameras.set(explorer.state.stage, target ?? camera);
    await stepping.go(stage, { camera: cameras.get(stage), isNoted: false });
    return stepping.shows(stage);
  }
}
