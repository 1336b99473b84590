/** The panel of the selection. */

import { plural } from "../ui/text";
import type { PanelProps } from "./actions";
import { ModulePanel } from "./module";
import { NodePanel } from "./node/panel";
import { EdgePanel, GraphPanel, ProgramPanel, SeveralPanel } from "./selection_panels";

export function Inspector({ selection, detail, ...here }: PanelProps) {
  switch (selection.kind) {
    case "nothing":
      return <ProgramPanel {...here} detail={detail} />;
    case "node":
      return <NodePanel {...here} detail={detail} node={selection.node} />;
    case "nodes":
      return (
        <SeveralPanel {...here} nodes={selection.nodes} title={plural(selection.nodes.length, "node")} />
      );
    case "group":
      return (
        <SeveralPanel
          {...here}
          nodes={selection.nodes}
          title={selection.title}
          more={`auto-group: ${selection.reason}`}
        />
      );
    case "module":
      return <ModulePanel {...here} selection={selection} />;
    case "graph":
      return <GraphPanel {...here} detail={detail} selection={selection} />;
    case "edge":
      return <EdgePanel {...here} selection={selection} />;
  }
}
