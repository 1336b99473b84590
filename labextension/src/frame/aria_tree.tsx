/** The visible picture as a tree for screen readers: the boxes of the canvas as text, and the selection. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { outline } from "../explorer";
import { Kind } from "../layout";
import { namesIn } from "../picture";
import { grouped } from "../snapshot";
import { useExplorer, usePart } from "./context";

/** A screen reader gets the boxes around the selection, not ten thousand. */
const MOST = 200;

export const treeId = (mount: string, item: number): string => `${mount}-item-${item}`;

interface AriaTreeProps {
  readonly mount: string;
  /** Additional text about a box. */
  readonly says?: ((item: number) => string) | undefined;
}

export function AriaTree({ mount, says }: AriaTreeProps): JSX.Element {
  const { snapshot } = useExplorer();
  const scene = usePart((state) => state.scene);
  const picture = usePart((state) => state.picture);
  const stretches = usePart((state) => state.stretches);
  const selected = usePart((state) => state.selected);
  const chosen = new Set(selected);
  const order = useMemo(() => outline(scene, (item) => picture.parentOf(item)), [scene, picture]);
  const at = order.indexOf(Math.max(0, scene.slotOf[selected[0] ?? -1] ?? 0));
  const from = Math.max(0, Math.min(at - MOST / 2, order.length - MOST));
  const slots = Array.from(order.subarray(from, from + MOST));
  return (
    <div
      class="exirviz-hidden"
      role="tree"
      aria-label={`${snapshot.skeleton.origin.name || picture.graph.path}, the visible graph`}
    >
      {slots.map((slot) => {
        const item = scene.item[slot] ?? 0;
        const members = scene.members[slot] ?? 1;
        const stretch = stretches.get(item);
        const isGroup = picture.isGroup(item) && !stretch;
        const more = isGroup ? picture.words.badges(item).join(", ") : "";
        return (
          <div
            key={item}
            id={treeId(mount, item)}
            role="treeitem"
            tabIndex={-1}
            aria-level={(scene.depth[slot] ?? 0) + 1}
            aria-selected={chosen.has(item)}
            {...(isGroup && { "aria-expanded": scene.kind[slot] === Kind.Open })}
          >
            {(stretch
              ? [
                  namesIn(stretch, picture.words),
                  `${grouped(stretch.count)} unchanged`,
                  "press Enter to show them",
                ]
              : [
                  picture.words.title(item),
                  picture.words.subtitle(item),
                  more,
                  members > 1 ? `${members} identical` : "",
                  says?.(item) ?? "",
                ]
            )
              .filter(Boolean)
              .join(", ")}
          </div>
        );
      })}
    </div>
  );
}
