/** The side panel: its tabs and their content. */

import type { JSX } from "preact";
import { ProfilePanel } from "../profile/view";
import { ReportsPanel, useReports } from "../reports";
import { Tabs } from "../ui/tabs";
import type { PanelProps } from "./actions";
import { CodePanel } from "./code/panel";
import { Inspector } from "./inspector";

export const TITLES = {
  node: "Node",
  code: "Code",
  cost: "Cost",
  reports: "Reports",
} as const;

export type Tab = keyof typeof TITLES;

interface SidePanelProps extends PanelProps {
  /** What can be done with the selection. */
  readonly tools?: JSX.Element;
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
}

export function SidePanel({ tab, onTab, tools, ...props }: SidePanelProps) {
  const { reports, ...rest } = TITLES;
  const titles = { ...rest, ...(props.reports && { reports }) };
  const shown = tab in titles ? tab : "node";
  return (
    <Tabs<Tab>
      label="Inspector"
      titles={titles}
      tab={shown}
      badges={{ reports: useReports(props.snapshot)?.alarms ?? 0 }}
      onTab={onTab}
      of={shown === "node" ? props.selection.kind : ""}
    >
      {shown === "node" && tools}
      {shown === "node" && <Inspector {...props} />}
      {shown === "code" && <CodePanel {...props} />}
      {shown === "cost" && <ProfilePanel {...props} />}
      {shown === "reports" && props.reports && (
        <ReportsPanel {...props} {...props.reports} profile={props.costs?.profile} />
      )}
    </Tabs>
  );
}
