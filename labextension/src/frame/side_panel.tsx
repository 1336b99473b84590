/** The side panel: its props, and the edge to resize it. */
import type { JSX, RefObject, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { SidePanel } from "../panels/tabbed_panel";
import { COMMANDS, type Page, titled } from "./commands";
import { useNextFrame, usePart } from "./context";
import { useCostAccess } from "./costs";
import { useInspected } from "./inspector_props";
import { isWide, PANEL_WIDTH, SHEET_HEIGHT } from "./picture_size";
import { stageAccessOf } from "./selection";
import { useTree } from "./stages";

/** Beside the picture; in a narrow explorer below it. */
export function Side({ page }: { page: Page }): JSX.Element | null {
  const isOpen = usePart((state) => state.isPanelOpen);
  return isOpen ? <OpenSide page={page} /> : null;
}

function OpenSide({ page }: { page: Page }): JSX.Element {
  const { explorer } = page;
  const panel = useRef<HTMLDivElement>(null);
  const isSheet = useIsNarrow(panel);
  const [width, setWidth] = useState<number>(PANEL_WIDTH.first);
  const [height, setHeight] = useState<number>(SHEET_HEIGHT.first);
  const isShown = useNextFrame();
  const [size, limits, setSize] = isSheet
    ? ([height, SHEET_HEIGHT, setHeight] as const)
    : ([width, PANEL_WIDTH, setWidth] as const);
  const resize = (wanted: number): void => setSize(Math.min(limits.most, Math.max(limits.least, wanted)));
  // Measured from the panel's far side, so that its edge returns to a pointer that went too far.
  const drag = ({ buttons, clientX, clientY }: TargetedPointerEvent<HTMLElement>): void => {
    const box = panel.current?.getBoundingClientRect();
    if (buttons & 1 && box) resize(isSheet ? box.bottom - clientY : box.right - clientX);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [larger, smaller] = isSheet ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const by = event.key === larger ? 20 : event.key === smaller ? -20 : 0;
    if (!by) return;
    event.stopPropagation();
    resize(size + by);
  };
  return (
    <div
      ref={panel}
      class={`exirviz-side ${isSheet ? "is-sheet" : ""}`}
      style={{ [isSheet ? "height" : "width"]: `${size}px` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: an hr cannot be dragged */}
      <div
        class="exirviz-grip"
        role="separator"
        aria-orientation={isSheet ? "horizontal" : "vertical"}
        aria-label={isSheet ? "Inspector height" : "Inspector width"}
        aria-valuenow={size}
        aria-valuemin={limits.least}
        aria-valuemax={limits.most}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={onKeyDown}
      />
      {isShown && <Contents page={page} />}
      <button
        type="button"
        class="exirviz-close"
        aria-label="Hide inspector"
        title={titled("Hide inspector", "panel")}
        onClick={() => explorer.store.set({ isPanelOpen: false })}
      >
        ×
      </button>
    </div>
  );
}

/** Follows the width of the explorer around the element. */
function useIsNarrow(element: RefObject<HTMLElement | null>): boolean {
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const frame = element.current?.closest(".exirviz-frame");
    if (!frame) return;
    const follow = (): void => setNarrow(!isWide(frame));
    follow();
    const resize = new ResizeObserver(follow);
    resize.observe(frame);
    return () => resize.disconnect();
  }, []);
  return isNarrow;
}

function Contents({ page }: { page: Page }): JSX.Element {
  const { explorer } = page;
  const inspected = useInspected();
  const tab = usePart((state) => state.tab);
  const open = usePart((state) => state.report);
  const overlay = usePart((state) => state.overlay);
  const stage = usePart((state) => state.stage);
  const costs = useCostAccess();
  const tree = useTree(explorer.stepping);
  const sizes = usePart((state) => state.sizes);
  const whatIf = useMemo(
    () => ({
      values: explorer.picture.values,
      trySizes: explorer.trySizes.bind(explorer),
      costsText: explorer.costsText(),
    }),
    [explorer, inspected.snapshot, sizes, costs],
  );
  // Another tree: load the lineage of nodes again.
  const stages = useMemo(() => stageAccessOf(explorer.stepping, stage), [explorer, stage, tree]);
  return (
    <SidePanel
      {...inspected}
      tools={<SelectionTools page={page} />}
      stages={stages}
      costs={costs}
      whatIf={whatIf}
      reports={{
        open,
        onOpen: (report) => explorer.openReport(report),
        overlay: overlay.name,
        onOverlay: (name) => explorer.store.set({ overlay: { ...overlay, name } }),
      }}
      tab={tab}
      onTab={(wanted) => explorer.store.set({ tab: wanted })}
    />
  );
}

/** In the head of the selection's panel: what is done with it most. */
function SelectionTools({ page }: { page: Page }): JSX.Element | null {
  usePart((state) => state.selected);
  usePart((state) => state.focus);
  const tools = COMMANDS.filter(({ word, applies }) => word && applies?.(page));
  if (tools.length === 0) return null;
  return (
    <p class="exirviz-selection-tools">
      {tools.map(({ name, word, does, isOn, run }) => (
        <button
          key={name}
          type="button"
          class="exirviz-quiet"
          title={titled(does, name)}
          aria-pressed={isOn?.(page)}
          onClick={() => void run(page)}
        >
          {word}
        </button>
      ))}
    </p>
  );
}
