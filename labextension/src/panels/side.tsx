/** The side panel: its tabs and what is on them. */

import { ProfilePanel } from "../profile/view";
import type { PanelProps } from "./actions";
import { CodePanel } from "./code/panel";
import { Inspector } from "./inspector";
import { Tabs } from "./parts/tabs";
import { ShapesPanel } from "./shapes/panel";
import { SignaturePanel } from "./signature/panel";

export const TITLES = {
  node: "Node",
  code: "Code",
  signature: "Signature",
  shapes: "Shapes",
  profile: "Profile",
} as const;

export type Tab = keyof typeof TITLES;

export interface SidePanelProps extends PanelProps {
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
}

export function SidePanel({ tab, onTab, ...props }: SidePanelProps) {
  return (
    <Tabs label="Details" titles={TITLES} tab={tab} onTab={onTab}>
      {tab === "node" && <Inspector {...props} />}
      {tab === "code" && <CodePanel {...props} />}
      {tab === "signature" && <SignaturePanel {...props} />}
      {tab === "shapes" && <ShapesPanel {...props} />}
      {tab === "profile" && <ProfilePanel {...props} />}
    </Tabs>
  );
}
