/**
 * The sidebar "Programs": explorable variables in the kernel of the active notebook or console. While
 * visible, it asks the kernel after each execution. It is loaded when first shown.
 */
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { type ISessionContext, MainAreaWidget } from "@jupyterlab/apputils";
import type { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import type { TranslationBundle } from "@jupyterlab/translation";
import { Panel, type Widget } from "@lumino/widgets";
import { grouped } from "../../snapshot/format";
import { programIcon } from "./program_icon";
import { compareCode, LIST, nameOfVariableKind, showCode, variablesOf } from "./program_list";
import type { Variable, VariableList } from "./schema";

/** The part of a notebook's or console's panel that is used. */
interface KernelPanel extends Widget {
  readonly sessionContext: ISessionContext;
  readonly content?: { readonly rendermime?: IRenderMimeRegistry };
  readonly console?: { readonly rendermime?: IRenderMimeRegistry };
}

export class Sidebar {
  private panel: KernelPanel | undefined;
  private kernel: Kernel.IKernelConnection | undefined;
  private shown: VariableList | string;
  private chosen: readonly string[] = [];
  /** Whether a cell has run since the last request, and whether a request runs. */
  private isStale = true;
  private isAsking = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly app: JupyterFrontEnd,
    private readonly trans: TranslationBundle,
    private readonly isVisible: () => boolean,
  ) {
    this.shown = this.noKernel;
    host.classList.add("exirviz-programs");
    host.setAttribute("role", "region");
    host.setAttribute("aria-label", trans.__("Programs of the active kernel"));
    app.shell.currentChanged?.connect(this.follow, this);
    this.follow();
    this.draw();
  }

  /** Asks the kernel if the list is out of date. */
  refresh(): void {
    const { kernel } = this;
    if (!this.isVisible() || !this.isStale || this.isAsking) return;
    if (!kernel) {
      this.show(this.noKernel);
      return;
    }
    this.isAsking = true;
    this.isStale = false;
    const request = kernel.requestExecute({
      code: "",
      silent: true,
      store_history: false,
      user_expressions: { programs: LIST },
    });
    const stop = (): void => {
      this.isAsking = false;
      this.refresh(); // a cell may have run meanwhile
    };
    request.done.then(({ content }) => {
      const { programs } = (content as { user_expressions?: Record<string, unknown> }).user_expressions ?? {};
      if (kernel === this.kernel && content.status === "ok") this.show(variablesOf(programs, this.trans));
      stop();
    }, stop);
  }

  private get noKernel(): string {
    return this.trans.__("Open a notebook or a console: its programs are listed here.");
  }

  private get noPrograms(): string {
    return this.trans.__(
      "No programs yet. Run a cell such as %1, and %2 is listed here.",
      "ep = torch.export.export(model, args)",
      "ep",
    );
  }

  /** Lists the programs of the last used notebook or console until it is closed. */
  private follow(): void {
    const current = this.app.shell.currentWidget as KernelPanel | null;
    if (current?.sessionContext && current !== this.panel) {
      this.panel?.sessionContext.kernelChanged.disconnect(this.followKernel, this);
      this.panel = current;
      current.sessionContext.kernelChanged.connect(this.followKernel, this);
      current.disposed.connect(this.onPanelClosed, this);
    }
    this.followKernel();
  }

  private onPanelClosed(panel: Widget): void {
    if (panel !== this.panel) return;
    this.panel = undefined;
    this.followKernel();
  }

  private followKernel(): void {
    const kernel = this.panel?.sessionContext.session?.kernel ?? undefined;
    if (kernel === this.kernel) return;
    this.kernel?.iopubMessage.disconnect(this.onMessage, this);
    this.kernel?.statusChanged.disconnect(this.onStatus, this);
    this.kernel = kernel;
    kernel?.iopubMessage.connect(this.onMessage, this);
    kernel?.statusChanged.connect(this.onStatus, this);
    this.chosen = [];
    this.isStale = true;
    this.refresh();
  }

  /** A cell was executed. The sidebar's own requests are silent and do not get here. */
  private onMessage(_: unknown, { header }: KernelMessage.IIOPubMessage): void {
    if (header.msg_type === "execute_input") this.isStale = true;
  }

  private onStatus(_: unknown, status: Kernel.Status): void {
    if (status === "restarting" || status === "autorestarting") this.isStale = true;
    if (status === "idle") this.refresh();
  }

  private show(list: VariableList | string): void {
    this.shown = list;
    const names = typeof list === "string" ? [] : list.variables.map(({ name }) => name);
    this.chosen = this.chosen.filter((name) => names.includes(name));
    this.draw();
  }

  private draw(): void {
    const { shown, panel, trans } = this;
    const heading = add(undefined, "h2", panel ? panel.title.label : trans.__("Programs"));
    if (typeof shown === "string" || !shown.variables.length) {
      const text = add(undefined, "p", typeof shown === "string" ? shown : this.noPrograms);
      this.host.replaceChildren(heading, text);
      return;
    }
    const focused = document.activeElement?.getAttribute("data-variable");
    const list = add(undefined, "ul");
    for (const variable of shown.variables) list.append(this.row(variable));
    if (shown.left_out) add(list, "li", trans.__("… %1 more", grouped(shown.left_out)));
    this.host.replaceChildren(heading, list, this.compareButton());
    const again = [...list.querySelectorAll<HTMLElement>("[data-variable]")];
    if (focused) again.find((each) => each.dataset["variable"] === focused)?.focus();
  }

  private row(variable: Variable): HTMLElement {
    const { name, dialect, nodes, can_compare } = variable;
    const { trans } = this;
    const kind = nameOfVariableKind(variable.kind, trans);
    const row = add(undefined, "li");
    const box = add(row, "input") as HTMLInputElement;
    box.type = "checkbox";
    box.checked = this.chosen.includes(name);
    box.disabled = !can_compare;
    box.title = can_compare ? trans.__("Select two to compare") : trans.__("A %1 cannot be compared", kind);
    box.setAttribute("aria-label", trans.__("Select %1 to compare", name));
    box.addEventListener("change", () => this.choose(name, box.checked));
    const button = add(row, "button") as HTMLButtonElement;
    button.title = trans.__("Explore %1 in a tab", name);
    button.dataset["variable"] = name;
    add(button, "b", name);
    const count = trans._n("%2 node", "%2 nodes", nodes, grouped(nodes));
    add(button, "span", [kind, dialect, count].filter(Boolean).join(" · "));
    button.addEventListener("click", () => this.open(name, showCode(name)));
    return row;
  }

  private choose(name: string, isChosen: boolean): void {
    const others = this.chosen.filter((each) => each !== name);
    this.chosen = isChosen ? [...others.slice(-1), name] : others;
    this.draw();
  }

  private compareButton(): HTMLElement {
    const { trans } = this;
    const [a, b] = this.chosen;
    const button = add(undefined, "button") as HTMLButtonElement;
    button.className = "exirviz-button";
    button.disabled = a === undefined || b === undefined;
    button.textContent =
      b === undefined ? trans.__("Compare: select two") : trans.__("Compare %1 with %2", a, b);
    if (a !== undefined && b !== undefined) {
      button.addEventListener("click", () => this.open(`${a} → ${b}`, compareCode(a, b)));
    }
    return button;
  }

  /** Runs code in the kernel and shows its output in a tab. */
  private open(title: string, code: string): void {
    const { kernel, panel } = this;
    const rendermime = panel?.content?.rendermime ?? panel?.console?.rendermime;
    if (!kernel || !rendermime) return;
    const content = new Panel();
    content.addClass("exirviz-main-area");
    const tab = new MainAreaWidget({ content });
    tab.title.label = title;
    tab.title.icon = programIcon;
    tab.title.closable = true;
    this.app.shell.add(tab, "main", { mode: "split-right" });
    const say = (text: string): void => {
      const line = add(undefined, "pre", text);
      content.node.append(line);
    };
    const waiting = add(undefined, "p", this.trans.__("Waiting for the kernel…"));
    content.node.append(waiting);
    const request = kernel.requestExecute({ code, store_history: false, allow_stdin: false });
    request.onIOPub = ({ header, content: sent }) => {
      if (content.isDisposed) return;
      if (header.msg_type === "error") {
        const { evalue } = sent as KernelMessage.IErrorMsg["content"];
        say(evalue);
      }
      if (header.msg_type !== "execute_result" && header.msg_type !== "display_data") return;
      const { data, metadata } = sent as KernelMessage.IDisplayDataMsg["content"];
      const mime = rendermime.preferredMimeType(data, "any");
      if (!mime) return;
      const renderer = rendermime.createRenderer(mime);
      content.addWidget(renderer);
      void renderer.renderModel(rendermime.createModel({ data, metadata, trusted: true }));
    };
    void request.done.finally(() => waiting.remove());
  }
}

function add(parent: HTMLElement | undefined, tag: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  parent?.append(made);
  return made;
}
