/** The side panel in its place: what it is given, and the edge by which it is made wider. */
import type { JSX, TargetedPointerEvent } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { SidePanel } from "../panels/side";
import { useExplorer, usePart } from "./context";
import { useCostSight } from "./costs";
import { useInspected } from "./inspected";
import { sightOf } from "./selection";
import { useTree } from "./stages";

/** CSS pixels. */
export const PANEL_WIDTH = { first: 350, least: 240, most: 900 } as const;

export function Side(): JSX.Element | null {
  const explorer = useExplorer();
  const isOpen = usePart((state) => state.isPanelOpen);
  const [width, setWidth] = useState<number>(PANEL_WIDTH.first);
  const isShown = useNextFrame();
  if (!isOpen) return null;
  const resize = (wanted: number): void =>
    setWidth(Math.min(PANEL_WIDTH.most, Math.max(PANEL_WIDTH.least, wanted)));
  // From the panel's right, so that its edge stays under a pointer that went too far and comes back.
  const drag = ({ buttons, clientX, currentTarget }: TargetedPointerEvent<HTMLElement>): void => {
    const right = currentTarget.parentElement?.getBoundingClientRect().right;
    if (buttons & 1 && right !== undefined) resize(right - clientX);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowLeft" ? 20 : event.key === "ArrowRight" ? -20 : 0;
    if (!by) return;
    event.stopPropagation();
    resize(width + by);
  };
  return (
    <div class="exirviz-side" style={{ width: `${width}px` }}>
      {/* biome-ignore lint/a11y/useSemanticElements: an hr cannot be dragged */}
      <div
        class="exirviz-grip"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the panel"
        aria-valuenow={width}
        aria-valuemin={PANEL_WIDTH.least}
        aria-valuemax={PANEL_WIDTH.most}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={onKeyDown}
      />
      {isShown && <Contents />}
      <button
        type="button"
        class="exirviz-close"
        aria-label="Hide the panel"
        title="Hide the panel"
        onClick={() => explorer.store.set({ isPanelOpen: false })}
      >
        ×
      </button>
    </div>
  );
}

/** False until the picture has been painted once: it comes before what is said of it. */
function useNextFrame(): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setThere(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return isThere;
}

function Contents(): JSX.Element {
  const explorer = useExplorer();
  const inspected = useInspected();
  const tab = usePart((state) => state.tab);
  const stage = usePart((state) => state.stage);
  const costs = useCostSight();
  const tree = useTree(explorer.stepping);
  // Another tree is another story: what was told of a node is asked again.
  const stages = useMemo(() => sightOf(explorer.stepping, stage), [explorer, stage, tree]);
  return (
    <SidePanel
      {...inspected}
      stages={stages}
      costs={costs}
      tab={tab}
      onTab={(wanted) => explorer.store.set({ tab: wanted })}
    />
  );
}
