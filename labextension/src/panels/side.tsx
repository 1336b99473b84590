/** The side panel: its tabs and what is on them. */

import { ProfilePanel } from "../profile/view";
import type { PanelProps } from "./actions";
import { CodePanel } from "./code/panel";
import { Inspector } from "./inspector";
import { ShapesPanel } from "./shapes/panel";
import { SignaturePanel } from "./signature/panel";

export const TABS = ["node", "code", "signature", "shapes", "profile"] as const;

export type Tab = (typeof TABS)[number];

const TITLES: Readonly<Record<Tab, string>> = {
  node: "Node",
  code: "Code",
  signature: "Signature",
  shapes: "Shapes",
  profile: "Profile",
};

export interface SidePanelProps extends PanelProps {
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
}

export function SidePanel({ tab, onTab, ...props }: SidePanelProps) {
  const move = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
    if (by === 0 || !next) return;
    event.preventDefault();
    event.stopPropagation();
    onTab(next);
    const tabs = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]");
    tabs[TABS.indexOf(next)]?.focus();
  };
  return (
    <aside class="ev-side" aria-label="Details">
      <div class="ev-tabs" role="tablist" aria-label="Details" onKeyDown={move}>
        {TABS.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            class={each === tab ? "ev-tab ev-tab-it" : "ev-tab"}
            aria-selected={each === tab}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => onTab(each)}
          >
            {TITLES[each]}
          </button>
        ))}
      </div>
      <div class="ev-tab-panel" role="tabpanel" aria-label={TITLES[tab]} key={tab}>
        {tab === "node" && <Inspector {...props} />}
        {tab === "code" && <CodePanel {...props} />}
        {tab === "signature" && <SignaturePanel {...props} />}
        {tab === "shapes" && <ShapesPanel {...props} />}
        {tab === "profile" && <ProfilePanel {...props} />}
      </div>
    </aside>
  );
}
