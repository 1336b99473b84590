/** What is under the pointer, in full: names that were cut, values, overlay numbers. */
import type { JSX } from "preact";
import type { CanvasView } from "../canvas/view";
import type { Point, Size } from "../geometry/camera";
import type { Scene } from "../layout";
import type { Overlay } from "../overlay";
import { itemsAt, namesIn } from "../picture";
import { plural, visible } from "../ui/text";
import { useExplorer, usePart } from "./context";

export interface TooltipAt {
  readonly x: number;
  readonly y: number;
  /** In `scene`: in another one the number is another box. */
  readonly slot: number;
  readonly edge: number;
  readonly scene: Scene;
}

/** The target of the tooltip; undefined if the pointer is on nothing. */
export function tooltipAt(view: CanvasView, at: Point): TooltipAt | undefined {
  const { slot, edge } = view.hovered;
  const isNothing = at.x < 0 || (slot < 0 && edge < 0);
  return isNothing ? undefined : { ...at, slot, edge, scene: view.look().scene };
}

/** The most that a tooltip shows of a hostile name. */
const LONGEST = 300;

export function Tooltip({
  at,
  overlay,
  says,
}: {
  at: TooltipAt;
  overlay: Overlay | undefined;
  /** Additional text about a box. */
  says?: ((item: number) => string) | undefined;
}): JSX.Element | null {
  const explorer = useExplorer();
  const scene = usePart((state) => state.scene);
  usePart((state) => state.sizes);
  if (at.scene !== scene) return null;
  const item = scene.item[at.slot] ?? -1;
  const lines =
    at.edge >= 0
      ? edgeLines(explorer.state, at.edge)
      : [...boxLines(explorer.state, item, overlay, at.slot), says && item >= 0 ? says(item) : ""].filter(
          Boolean,
        );
  if (lines.length === 0) return null;
  return (
    <div class="exirviz-tooltip" role="tooltip" style={placeOf(at, explorer.viewportStore.state.screen)}>
      {lines.map((line, i) => (
        <div key={i} class={i ? "exirviz-dim" : ""}>
          {visible(line.slice(0, LONGEST))}
        </div>
      ))}
    </div>
  );
}

/** Right below the pointer; at the edge of the screen above it or at its left. */
function placeOf({ x, y }: TooltipAt, { width, height }: Size): Record<string, string> {
  return {
    ...(x < width / 2 ? { left: `${x + 14}px` } : { right: `${width - x + 10}px` }),
    ...(y < height / 2 ? { top: `${y + 16}px` } : { bottom: `${height - y + 10}px` }),
  };
}

type ExplorerState = ReturnType<typeof useExplorer>["state"];

function edgeLines({ picture, scene }: ExplorerState, edge: number): string[] {
  const node = picture.nodeOf(scene.edgeValue[edge] ?? -1);
  if (node < 0) return [];
  const count = scene.edgeCount[edge] ?? 1;
  const bytes = picture.values.byteText(node);
  return [
    `${picture.snapshot.name(node)}: ${picture.values.text(node)}`,
    [bytes === "–" ? "" : bytes, count > 1 ? `used ${count} times` : ""].filter(Boolean).join(" · "),
  ].filter(Boolean);
}

function boxLines(
  { picture, scene, stretches }: ExplorerState,
  item: number,
  overlay: Overlay | undefined,
  slot: number,
): string[] {
  if (item < 0) return [];
  const stretch = stretches.get(item);
  if (stretch)
    return [
      `${plural(stretch.count, "unchanged op")}: ${namesIn(stretch, picture.words)}`,
      "Click to show them",
    ];
  const node = picture.nodeOf(item);
  if (node < 0) {
    const scope = picture.snapshot.scopes[picture.scopeOf(item)];
    const run = itemsAt(picture, scene, slot);
    const [first = "", last = ""] = [item, run.at(-1) ?? item].map(
      (each) => picture.snapshot.scopes[picture.scopeOf(each)]?.path || picture.words.title(each),
    );
    const badges = picture.words.badges(item);
    return [
      run.length > 1 ? `${first} – ${last} ×${run.length}` : first,
      scope?.cls ?? picture.reasonOf(item) ?? "",
      `${run.length > 1 && badges.length ? "each " : ""}${badges.join(" · ")}`,
      overlayText(overlay, overlay?.boxText?.(slot)),
    ].filter(Boolean);
  }
  const { snapshot } = picture;
  const value = overlay?.text(node);
  const delegate = picture.words.delegateOf(item);
  if (delegate)
    return [
      delegate.name,
      picture.words.subtitle(item),
      picture.words.badges(item).join(" · "),
      overlayText(overlay, overlay?.boxText?.(slot) ?? value),
    ].filter(Boolean);
  const target = snapshot.target(node);
  return [
    snapshot.name(node),
    target.text === snapshot.name(node) ? "" : target.text,
    picture.values.text(node),
    overlayText(overlay, value),
  ].filter((line) => line !== "" && line !== "–");
}

const overlayText = (overlay: Overlay | undefined, value: string | undefined): string =>
  value ? `${overlay?.title ?? overlay?.legend.title}: ${value}` : "";
