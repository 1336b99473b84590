/** What JupyterLab shows of live kernels: a sidebar of their programs, and explorers in tabs. */
import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { LabIcon } from "@jupyterlab/ui-components";
import { Widget } from "@lumino/widgets";
import { PROGRAM_ICON_SVG } from "../icon";
import { moveExplorers } from "./explorer_tabs";
import type { Sidebar } from "./sidebar";

/** An empty panel until it is seen for the first time. */
class ProgramsPanel extends Widget {
  private sidebar: Promise<Sidebar> | undefined;

  constructor(private readonly app: JupyterFrontEnd) {
    super();
    this.id = "exir-viz-programs";
    this.addClass("exirviz-programs");
    this.title.icon = new LabIcon({ name: "exir-viz:programs", svgstr: PROGRAM_ICON_SVG });
    this.title.caption = "Programs of the active kernel";
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", this.title.caption);
  }

  protected override onAfterShow(): void {
    this.sidebar ??= import("./viewer").then(
      ({ Sidebar }) => new Sidebar(this.node, this.app, () => this.isVisible),
    );
    void this.sidebar.then((sidebar) => sidebar.refresh());
  }
}

export const kernelPlugins: readonly JupyterFrontEndPlugin<void>[] = [
  {
    id: "exir-viz:programs",
    description: "Lists the programs of the active kernel in a sidebar",
    autoStart: true,
    optional: [ILayoutRestorer],
    activate: (app: JupyterFrontEnd, restorer: ILayoutRestorer | null): void => {
      const panel = new ProgramsPanel(app);
      app.shell.add(panel, "left", { rank: 600 });
      restorer?.add(panel, panel.id);
    },
  },
  {
    id: "exir-viz:tabs",
    description: "Moves explorers from their cells into tabs, and back",
    autoStart: true,
    optional: [ILayoutRestorer, ICommandPalette],
    activate: (
      app: JupyterFrontEnd,
      restorer: ILayoutRestorer | null,
      palette: ICommandPalette | null,
    ): void => {
      moveExplorers(app, restorer);
      palette?.addItem({ command: "exir-viz:move-explorer", category: "exir_viz" });
    },
  },
];
