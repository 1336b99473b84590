/** The side panel: its tabs, and the edge by which it is made wider. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useDetail } from "../panels/detail";
import { Inspector } from "../panels/inspector";
import type { Tab } from "../store";
import { Code } from "./code";
import { useExplorer, usePart } from "./context";
import { actionsOf, selectionOf } from "./selection";
import { ShapesPanel } from "./shapes";
import { SignaturePanel } from "./signature";

const TABS: readonly { tab: Tab; title: string; panel: () => JSX.Element }[] = [
  { tab: "node", title: "Node", panel: NodeTab },
  { tab: "code", title: "Code", panel: Code },
  { tab: "signature", title: "Signature", panel: SignaturePanel },
  { tab: "shapes", title: "Shapes", panel: ShapesPanel },
];

/** CSS pixels. */
const WIDTH = { first: 350, least: 240, most: 900 } as const;

function NodeTab(): JSX.Element {
  const explorer = useExplorer();
  const detail = useDetail(explorer.snapshot);
  const actions = useMemo(() => actionsOf(explorer), [explorer]);
  const picture = usePart((state) => state.picture);
  const selected = usePart((state) => state.selected);
  const edge = usePart((state) => state.edge);
  const selection = useMemo(() => selectionOf(explorer.state), [picture, selected, edge]);
  return <Inspector snapshot={explorer.snapshot} detail={detail} selection={selection} actions={actions} />;
}

export function Side({ mount }: { mount: string }): JSX.Element | null {
  const explorer = useExplorer();
  const tab = usePart((state) => state.tab);
  const isOpen = usePart((state) => state.isPanelOpen);
  const [width, setWidth] = useState<number>(WIDTH.first);
  if (!isOpen) return null;
  const Panel = TABS.find((each) => each.tab === tab)?.panel ?? NodeTab;
  const drag = (event: PointerEvent): void => {
    if (!(event.buttons & 1)) return;
    setWidth((now) => Math.min(WIDTH.most, Math.max(WIDTH.least, now - event.movementX)));
  };
  const arrow = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowLeft" ? 20 : event.key === "ArrowRight" ? -20 : 0;
    if (!by) return;
    event.stopPropagation();
    setWidth((now) => Math.min(WIDTH.most, Math.max(WIDTH.least, now + by)));
  };
  return (
    <aside class="exirviz-side" style={{ width: `${width}px` }} aria-label="Details">
      <div
        class="exirviz-grip"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the panel"
        aria-valuenow={width}
        aria-valuemin={WIDTH.least}
        aria-valuemax={WIDTH.most}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={arrow}
      />
      <div class="exirviz-tabs" role="tablist">
        {TABS.map((each) => (
          <button
            type="button"
            role="tab"
            key={each.tab}
            id={`${mount}-tab-${each.tab}`}
            aria-selected={each.tab === tab}
            aria-controls={`${mount}-panel`}
            onClick={() => explorer.store.set({ tab: each.tab })}
          >
            {each.title}
          </button>
        ))}
        <button
          type="button"
          class="exirviz-close"
          aria-label="Hide the panel"
          title="Hide the panel (i)"
          onClick={() => explorer.store.set({ isPanelOpen: false })}
        >
          ×
        </button>
      </div>
      <div
        class="exirviz-panel"
        role="tabpanel"
        id={`${mount}-panel`}
        aria-labelledby={`${mount}-tab-${tab}`}
      >
        <Panel />
      </div>
    </aside>
  );
}
