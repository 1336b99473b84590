/** Plugins for live kernels: a sidebar of their programs, and explorers in tabs. */
import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, type MainAreaWidget, WidgetTracker } from "@jupyterlab/apputils";
import { ITranslator, type TranslationBundle } from "@jupyterlab/translation";
import { Widget } from "@lumino/widgets";
import { CAN_MOVE, ENDED, MOVE, onTabEvent, SHOWN, type ShownExplorer } from "../tab_events";
import type { ExplorerTab, ExplorerTabs } from "./explorer_tabs";
import { programIcon } from "./program_icon";
import type { Sidebar } from "./sidebar";
import { translationOf } from "./user_language";

const OPEN = "exir-viz:open-tab";
const MOVE_ACTIVE = "exir-viz:move-explorer";

/** Lets explorers move into tabs of this application; loaded with the first explorer. */
function moveExplorers(
  { shell, commands }: JupyterFrontEnd,
  trans: TranslationBundle,
  restorer: ILayoutRestorer | null,
): void {
  const tracker = new WidgetTracker<MainAreaWidget<ExplorerTab>>({ namespace: "exir-viz-explorers" });
  let loaded: Promise<ExplorerTabs> | undefined;
  const tabs = (): Promise<ExplorerTabs> => {
    loaded ??= import("./explorer_tabs").then(({ ExplorerTabs }) => new ExplorerTabs(shell, tracker, trans));
    return loaded;
  };
  document.documentElement.setAttribute(CAN_MOVE, "");
  onTabEvent<ShownExplorer>(document, SHOWN, async (shown) => (await tabs()).add(shown));
  onTabEvent<ShownExplorer>(document, ENDED, async (shown) => (await tabs()).remove(shown));
  onTabEvent<ShownExplorer>(document, MOVE, async (shown) => (await tabs()).move(shown));
  commands.addCommand(OPEN, {
    // used by the layout restorer; it has no label and no menu entry
    execute: async ({ id, title }) => {
      if (typeof id === "string") (await tabs()).open(id, String(title));
    },
  });
  commands.addCommand(MOVE_ACTIVE, {
    label: trans.__("Open Explorer in a Tab"),
    execute: async () => (await tabs()).moveActive(),
  });
  void restorer?.restore(tracker, {
    command: OPEN,
    args: ({ content, title }) => ({ id: content.explorerId, title: title.label }),
    name: ({ content }) => content.explorerId,
  });
}

/** An empty panel until it is first visible. */
class ProgramsPanel extends Widget {
  private sidebar: Promise<Sidebar> | undefined;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly trans: TranslationBundle,
  ) {
    super();
    this.id = "exir-viz-programs";
    this.title.icon = programIcon;
    this.title.caption = trans.__("Programs of the active kernel");
  }

  protected override onAfterShow(): void {
    this.sidebar ??= import("./viewer").then(
      ({ Sidebar }) => new Sidebar(this.node, this.app, this.trans, () => this.isVisible),
    );
    void this.sidebar.then((sidebar) => sidebar.refresh());
  }
}

export const kernelPlugins: readonly JupyterFrontEndPlugin<void>[] = [
  {
    id: "exir-viz:programs",
    description: "Lists programs of the active kernel",
    autoStart: true,
    optional: [ITranslator, ILayoutRestorer],
    activate: (
      app: JupyterFrontEnd,
      translator: ITranslator | null,
      restorer: ILayoutRestorer | null,
    ): void => {
      const panel = new ProgramsPanel(app, translationOf(translator));
      app.shell.add(panel, "left", { rank: 600 });
      restorer?.add(panel, panel.id);
    },
  },
  {
    id: "exir-viz:tabs",
    description: "Moves explorers into tabs",
    autoStart: true,
    optional: [ITranslator, ILayoutRestorer, ICommandPalette],
    activate: (
      app: JupyterFrontEnd,
      translator: ITranslator | null,
      restorer: ILayoutRestorer | null,
      palette: ICommandPalette | null,
    ): void => {
      moveExplorers(app, translationOf(translator), restorer);
      palette?.addItem({ command: MOVE_ACTIVE, category: "exir_viz" });
    },
  },
];
