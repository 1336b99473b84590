/**
 * Explorers in tabs. A moved explorer keeps its elements, its kernel, what is open and what is selected. A
 * line in the cell says where it is and brings it back, as does closing the tab. After a reload, a tab waits
 * until the notebook shows its explorer.
 */
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget, type WidgetTracker } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import { Widget } from "@lumino/widgets";
import {
  emitTabEvent,
  MOVED,
  onTabEvent,
  SHOW_CELL,
  type ShownExplorer,
  type WantedCell,
} from "../tab_events";
import { showCell } from "./notebook_cells";
import { programIcon } from "./program_icon";

export class ExplorerTab extends Widget {
  private shown: ShownExplorer | undefined;
  /** Shown in the cell meanwhile. */
  private note: HTMLElement | undefined;

  constructor(
    readonly explorerId: string,
    private readonly trans: TranslationBundle,
    private readonly bringForward: () => void,
  ) {
    super();
    this.addClass("exirviz-main-area");
    this.sayMissing();
  }

  /** Moves an explorer out of its cell. */
  take(shown: ShownExplorer): void {
    this.shown = shown;
    this.node.replaceChildren(...shown.host.childNodes);
    this.note = this.noteFor(shown.host.ownerDocument);
    shown.host.append(this.note);
    shown.host.classList.add("exirviz-is-in-tab");
    emitTabEvent(document, MOVED, { id: shown.id, isInTab: true });
  }

  /** Moves it back into its cell. */
  giveBack(): void {
    const { shown, note } = this;
    if (!shown) return;
    this.shown = undefined;
    note?.remove();
    shown.host.classList.remove("exirviz-is-in-tab");
    shown.host.append(...this.node.childNodes);
    this.sayMissing();
    emitTabEvent(document, MOVED, { id: shown.id, isInTab: false });
  }

  /** The explorer has ended: its host removes its elements. */
  forget(): void {
    this.note?.remove();
    this.shown?.host.classList.remove("exirviz-is-in-tab");
    this.shown = undefined;
    this.sayMissing();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.giveBack();
    super.dispose();
  }

  private sayMissing(): void {
    this.node.textContent = this.trans.__(
      "The explorer appears here when its notebook is open and its cell has run.",
    );
  }

  private noteFor(document: Document): HTMLElement {
    const { trans } = this;
    const note = document.createElement("div");
    note.className = "exirviz-tab-note";
    const text = document.createElement("span");
    text.textContent = trans.__("This explorer is in a tab.");
    note.append(text);
    for (const [label, act] of [
      [trans.__("Show the tab"), this.bringForward],
      [trans.__("Move back here"), () => this.parent?.dispose()],
    ] as const) {
      const button = note.appendChild(document.createElement("button"));
      button.textContent = label;
      button.addEventListener("click", act);
    }
    return note;
  }
}

/** The explorers of the page, and their tabs. */
export class ExplorerTabs {
  private readonly explorers = new Map<string, ShownExplorer>();
  private readonly tabs = new Map<string, MainAreaWidget<ExplorerTab>>();

  constructor(
    private readonly shell: JupyterFrontEnd.IShell,
    private readonly tracker: WidgetTracker<MainAreaWidget<ExplorerTab>>,
    private readonly trans: TranslationBundle,
  ) {
    onTabEvent<WantedCell>(document, SHOW_CELL, (wanted) => void showCell(shell, wanted));
  }

  /** Moves it into a tab that waits for it. */
  add(shown: ShownExplorer): void {
    this.explorers.set(shown.id, shown);
    this.tabs.get(shown.id)?.content.take(shown);
  }

  remove({ id, host }: ShownExplorer): void {
    if (this.explorers.get(id)?.host !== host) return; // another view of the same explorer exists by now
    this.explorers.delete(id);
    this.tabs.get(id)?.content.forget();
  }

  /** Into a tab, or back. */
  move({ id, title }: ShownExplorer): void {
    const tab = this.tabs.get(id);
    if (tab) tab.dispose();
    else this.shell.activateById(this.open(id, title));
  }

  moveActive(): void {
    const shown = [...this.explorers.values()].find(
      ({ host }) =>
        host.contains(document.activeElement) ||
        host.closest(".jp-Cell")?.classList.contains("jp-mod-active"),
    );
    if (shown) this.move(shown);
  }

  /** Opens a tab, with its explorer if that is in the page. */
  open(id: string, title: string): string {
    const content = new ExplorerTab(id, this.trans, () => this.shell.activateById(tab.id));
    const tab = new MainAreaWidget({ content });
    tab.id = `exir-viz-tab-${id}`;
    tab.title.label = title;
    tab.title.icon = programIcon;
    tab.title.closable = true;
    tab.disposed.connect(() => this.tabs.delete(id));
    this.tabs.set(id, tab);
    void this.tracker.add(tab);
    this.shell.add(tab, "main", { mode: "split-right" });
    const shown = this.explorers.get(id);
    if (shown) content.take(shown);
    return tab.id;
  }
}
