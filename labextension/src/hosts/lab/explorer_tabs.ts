/**
 * Explorers that were moved from their cells into tabs. An explorer stays the same: its elements move, its kernel and
 * what is open and selected do not change. A line in the cell says where it is, and brings it back; closing the tab
 * does, too. When the page is loaded again, a tab waits for its explorer, and takes it once the notebook shows it.
 */
import type { ILayoutRestorer, JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget, WidgetTracker } from "@jupyterlab/apputils";
import { Widget } from "@lumino/widgets";
import { CAN_MOVE, ENDED, hear, MOVE, MOVED, SHOWN, type ShownExplorer, tell } from "../tab_events";

const OPEN = "exir-viz:open-tab";
const MOVE_ACTIVE = "exir-viz:move-explorer";

/** Says that the explorer is not here. */
const WAITING = "The explorer appears here when its notebook is open and its cell has run.";

class ExplorerTab extends Widget {
  private shown: ShownExplorer | undefined;
  /** Stands in the cell meanwhile. */
  private note: HTMLElement | undefined;

  constructor(
    readonly explorerId: string,
    private readonly bringForward: () => void,
  ) {
    super();
    this.addClass("exirviz-main-area");
    this.node.textContent = WAITING;
  }

  /** Takes an explorer out of its cell. */
  take(shown: ShownExplorer): void {
    this.shown = shown;
    this.node.replaceChildren(...shown.host.childNodes);
    this.note = this.noteFor(shown.host.ownerDocument);
    shown.host.append(this.note);
    shown.host.classList.add("exirviz-is-in-tab");
    tell(document, MOVED, { id: shown.id, isInTab: true });
  }

  /** Puts it back into its cell. */
  giveBack(): void {
    const { shown, note } = this;
    if (!shown) return;
    this.shown = undefined;
    note?.remove();
    shown.host.classList.remove("exirviz-is-in-tab");
    shown.host.append(...this.node.childNodes);
    this.node.textContent = WAITING;
    tell(document, MOVED, { id: shown.id, isInTab: false });
  }

  /** The explorer has ended: its own host takes its elements away. */
  forget(): void {
    this.note?.remove();
    this.shown?.host.classList.remove("exirviz-is-in-tab");
    this.shown = undefined;
    this.node.textContent = WAITING;
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.giveBack();
    super.dispose();
  }

  private noteFor(document: Document): HTMLElement {
    const note = document.createElement("div");
    note.className = "exirviz-tab-note";
    const text = document.createElement("span");
    text.textContent = "This explorer is in a tab.";
    note.append(text);
    for (const [label, act] of [
      ["Show the tab", this.bringForward],
      ["Move back here", () => this.parent?.dispose()],
    ] as const) {
      const button = note.appendChild(document.createElement("button"));
      button.textContent = label;
      button.addEventListener("click", act);
    }
    return note;
  }
}

/** Lets explorers move into tabs of this application. */
export function moveExplorers(app: JupyterFrontEnd, restorer: ILayoutRestorer | null): void {
  const { shell, commands } = app;
  const tracker = new WidgetTracker<MainAreaWidget<ExplorerTab>>({ namespace: "exir-viz-explorers" });
  const explorers = new Map<string, ShownExplorer>();
  const tabs = new Map<string, MainAreaWidget<ExplorerTab>>();

  const open = (id: string, title: string): MainAreaWidget<ExplorerTab> => {
    const content = new ExplorerTab(id, () => shell.activateById(tab.id));
    const tab = new MainAreaWidget({ content });
    tab.id = `exir-viz-tab-${id}`;
    tab.title.label = title;
    tab.title.closable = true;
    tab.disposed.connect(() => tabs.delete(id));
    tabs.set(id, tab);
    void tracker.add(tab);
    shell.add(tab, "main", { mode: "split-right" });
    const shown = explorers.get(id);
    if (shown) content.take(shown);
    return tab;
  };

  document.documentElement.setAttribute(CAN_MOVE, "");
  hear<ShownExplorer>(document, SHOWN, (shown) => {
    explorers.set(shown.id, shown);
    tabs.get(shown.id)?.content.take(shown);
  });
  hear<ShownExplorer>(document, ENDED, ({ id, host }) => {
    if (explorers.get(id)?.host !== host) return; // another view of the same explorer has come since
    explorers.delete(id);
    tabs.get(id)?.content.forget();
  });
  const move = (shown: ShownExplorer): void => {
    const tab = tabs.get(shown.id);
    if (tab) tab.dispose();
    else shell.activateById(open(shown.id, shown.title).id);
  };
  hear<ShownExplorer>(document, MOVE, move);

  commands.addCommand(OPEN, {
    label: "Open the Tab of an Explorer",
    isVisible: () => false, // for the layout that is restored
    execute: ({ id, title }) => {
      if (typeof id === "string") open(id, String(title));
    },
  });
  const active = (): ShownExplorer | undefined =>
    [...explorers.values()].find(
      ({ host }) =>
        host.contains(document.activeElement) ||
        host.closest(".jp-Cell")?.classList.contains("jp-mod-active"),
    );
  commands.addCommand(MOVE_ACTIVE, {
    label: "Open Explorer in a Tab",
    caption: "Move the explorer of the active cell into a tab",
    isEnabled: () => active() !== undefined,
    execute: () => {
      const shown = active();
      if (shown) move(shown);
    },
  });
  if (!restorer) return;
  void restorer.restore(tracker, {
    command: OPEN,
    args: ({ content, title }) => ({ id: content.explorerId, title: title.label }),
    name: ({ content }) => content.explorerId,
  });
}
