/**
 * A story on a page: the caption of a scene below the explorer, and buttons to the next scene and the one before.
 * A scene is a saved view, or, if its explorer was never displayed, what Python asked of it (see
 * `exir_viz/widget/story.py`).
 */
import { type JSX, render } from "preact";
import type { Explorer } from "../explorer";
import { unpack } from "../snapshot/container";
import { asView, type ViewState } from "../store";
import { visible } from "../ui/text";
import { followTheme, themeAt } from "./host_page";
import { type Look, ordersOf, showLook } from "./saved_page";

interface Scene {
  readonly caption: string;
  readonly stage: string;
  readonly look: Look;
}

/** The scenes that a page carries; a scene that cannot be read is left out. */
export async function scenesOf(packed: Uint8Array): Promise<readonly Scene[]> {
  const found = await unpack(packed);
  return Array.isArray(found) ? found.map(asScene).filter((scene) => scene !== undefined) : [];
}

function asScene(x: unknown): Scene | undefined {
  const { caption, stage, view, selection, orders } = (x ?? {}) as Record<string, unknown>;
  if (typeof caption !== "string") return undefined;
  return {
    caption,
    stage: typeof stage === "string" ? stage : "",
    look: {
      view: asView(view),
      orders: ordersOf(orders),
      selection: Array.isArray(selection) ? selection.map(String) : [],
      heads: [],
      data: [],
    },
  };
}

/** Shows scenes one at a time: of requests that overlap, only the newest is completed. */
export class ScenePlayer {
  private readonly first: ViewState;
  private playing: Promise<void> = Promise.resolve();
  private wanted = 0;

  constructor(
    private readonly explorer: Explorer,
    readonly scenes: readonly Scene[],
  ) {
    this.first = explorer.view();
  }

  /** Resolves when the scene is shown, or when a newer request replaced it. */
  play(at: number): Promise<void> {
    const request = ++this.wanted;
    this.playing = this.playing.then(() => (request === this.wanted ? this.show(at) : undefined));
    return this.playing;
  }

  private async show(at: number): Promise<void> {
    const scene = this.scenes[at];
    if (!scene) return;
    const view = scene.look.view ?? { ...this.first, ...(scene.stage && { stage: scene.stage }) };
    await showLook(this.explorer, { ...scene.look, view });
    if (!scene.look.view && !scene.look.selection.length) this.explorer.fit();
  }
}

interface BarProps {
  readonly scenes: readonly Scene[];
  readonly at: number;
  readonly go: (to: number) => void;
}

function StoryBar({ scenes, at, go }: BarProps): JSX.Element {
  return (
    <>
      <button
        type="button"
        class="exirviz-panel-button"
        title="Previous scene (Page up)"
        disabled={at === 0}
        onClick={() => go(at - 1)}
      >
        ← Back
      </button>
      <p aria-live="polite">
        <b>
          {at + 1} of {scenes.length}
        </b>
        {visible(scenes[at]?.caption ?? "")}
      </p>
      <button
        type="button"
        class="exirviz-panel-button"
        title="Next scene (Page down)"
        disabled={at === scenes.length - 1}
        onClick={() => go(at + 1)}
      >
        Next →
      </button>
    </>
  );
}

/** Adds the bar below an explorer, and shows the first scene. */
export function mountStory(host: HTMLElement, explorer: Explorer, scenes: readonly Scene[]): void {
  if (scenes.length === 0) return;
  const page = host.ownerDocument;
  const bar = page.createElement("nav");
  bar.className = "exirviz-explorer exirviz-story";
  bar.setAttribute("aria-label", "Story");
  host.classList.add("exirviz-has-story");
  host.append(bar);
  themeAt(bar);
  followTheme(page, () => themeAt(bar));
  const player = new ScenePlayer(explorer, scenes);
  let at = 0;
  const go = (to: number): void => {
    if (!scenes[to]) return;
    at = to;
    render(<StoryBar scenes={scenes} at={at} go={go} />, bar);
    void player.play(at);
  };
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || (event.key !== "PageDown" && event.key !== "PageUp")) return;
    event.preventDefault();
    go(at + (event.key === "PageDown" ? 1 : -1));
  });
  go(0);
}
