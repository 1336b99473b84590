/** The side panel: its tabs and their content. */

import { ProfilePanel } from "../profile/view";
import { Tabs } from "../ui/tabs";
import type { PanelProps } from "./actions";
import { CodePanel } from "./code/panel";
import { DelegationPanel } from "./delegation/panel";
import { FindingsPanel } from "./findings/panel";
import { Inspector } from "./inspector";
import { ShapesPanel } from "./shapes/panel";
import { SignaturePanel } from "./signature/panel";

export const TITLES = {
  node: "Node",
  code: "Code",
  signature: "Signature",
  shapes: "Shapes",
  profile: "Profile",
  findings: "Findings",
  delegation: "Delegation",
} as const;

export type Tab = keyof typeof TITLES;

interface SidePanelProps extends PanelProps {
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
}

export function SidePanel({ tab, onTab, ...props }: SidePanelProps) {
  const { delegation, findings, ...others } = TITLES;
  const page = props.snapshot.skeleton.page;
  const titles = {
    ...others,
    ...(page?.findings && { findings }),
    ...(page?.delegation && { delegation }),
  };
  const shown = tab in titles ? tab : "node";
  return (
    <Tabs<Tab> label="Inspector" titles={titles} tab={shown} onTab={onTab}>
      {shown === "node" && <Inspector {...props} />}
      {shown === "code" && <CodePanel {...props} />}
      {shown === "signature" && <SignaturePanel {...props} />}
      {shown === "shapes" && <ShapesPanel {...props} />}
      {shown === "profile" && <ProfilePanel {...props} />}
      {shown === "findings" && <FindingsPanel {...props} />}
      {shown === "delegation" && <DelegationPanel {...props} />}
    </Tabs>
  );
}
