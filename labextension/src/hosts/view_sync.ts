/** Synchronizes selection and view with the widget's traits, both ways and without echoes. */
import type { AnyModel } from "@anywidget/types";
import type { Explorer } from "../explorer";
import { isSelected, selectNodes } from "../explorer/select_nodes";
import { asView } from "../store";
import type { WidgetState } from "./widget";

/** Milliseconds after the last change before it is sent to the kernel. */
const PAUSE = 250;
/** Milliseconds within which a selection and a view that were set together both arrive. */
const TOGETHER = 20;

/** Runs one action after the other. */
export type Turns = (act: () => Promise<void> | undefined) => void;

interface Following {
  /** Called after a user action that was sent to the kernel. */
  readonly onSent: () => void;
}

export function syncView(
  model: AnyModel<WidgetState>,
  explorer: Explorer,
  turns: Turns,
  { onSent }: Following,
): () => void {
  const reporter: KernelReporter = new KernelReporter(model, explorer, onSent, () => listener.isBehind);
  const listener = new KernelListener(model, explorer, turns, reporter);
  const offs = [
    explorer.store.subscribe(reporter.sendLater),
    explorer.viewportStore.subscribe(reporter.sendLater),
  ];
  reporter.sendLater(); // the initial view counts too
  return () => {
    for (const off of offs) off();
    reporter.dispose();
    listener.dispose();
  };
}

/** Sends the user's actions to the kernel. */
class KernelReporter {
  /** While it sets traits, their change events are ignored. */
  isSending = false;
  private timer = 0;
  private view = "";
  /**
   * The kernel's selection, and what was selected for it: a folded parameter is shown by the op that uses it.
   */
  private kernelSelection: { readonly ids: readonly string[]; readonly items: readonly number[] } | undefined;

  constructor(
    private readonly model: AnyModel<WidgetState>,
    private readonly explorer: Explorer,
    private readonly onSent: () => void,
    /** Whether a value from the kernel is not shown yet. */
    private readonly isBehind: () => boolean,
  ) {}

  readonly sendLater = (): void => {
    clearTimeout(this.timer);
    this.timer = Number(setTimeout(() => this.send(), PAUSE));
  };

  /** The view came from the kernel: it is not sent back. */
  takeView(): void {
    this.view = JSON.stringify(this.explorer.view());
  }

  takeSelection(ids: readonly string[]): void {
    this.kernelSelection = { ids, items: this.explorer.state.selected };
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private send(): void {
    // The view is not yet what the kernel wants: sending it would undo that.
    if (this.isBehind()) {
      this.sendLater();
      return;
    }
    const view = this.explorer.view();
    const text = JSON.stringify(view);
    const selection = this.selection();
    const isSame = JSON.stringify(selection) === JSON.stringify(this.model.get("selection"));
    if (text === this.view && isSame) return;
    this.isSending = true;
    if (text !== this.view) this.model.set("view", { ...view });
    if (!isSame) this.model.set("selection", [...selection]);
    this.isSending = false;
    this.view = text;
    this.model.save_changes();
    this.onSent();
  }

  private selection(): readonly string[] {
    const { explorer, kernelSelection } = this;
    if (kernelSelection && kernelSelection.items === explorer.state.selected) return kernelSelection.ids;
    return explorer.selectedNodes().map((node) => explorer.snapshot.id(node));
  }
}

/** Shows what the kernel sets. */
class KernelListener {
  private timer = 0;
  /** Whether a view arrived. Otherwise the model's view is one that was sent from here, and may be old. */
  private hasView = false;
  /** The number of kernel selections that are not shown yet. */
  private coming = 0;

  constructor(
    private readonly model: AnyModel<WidgetState>,
    private readonly explorer: Explorer,
    private readonly turns: Turns,
    private readonly reporter: KernelReporter,
  ) {
    model.on("change:selection", this.changed);
    model.on("change:view", this.viewed);
    this.coming++;
    turns(() => settled(explorer));
    turns(() => this.select());
  }

  get isBehind(): boolean {
    return this.timer !== 0 || this.coming > 0;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.model.off("change:selection", this.changed);
    this.model.off("change:view", this.viewed);
  }

  private readonly viewed = (): void => {
    if (!this.reporter.isSending) this.hasView = true;
    this.changed();
  };

  private readonly changed = (): void => {
    if (this.reporter.isSending) return;
    clearTimeout(this.timer);
    this.timer = Number(
      setTimeout(() => {
        this.timer = 0;
        this.coming++;
        this.turns(() => settled(this.explorer)); // another stage may be loading
        this.turns(() => this.look());
        this.turns(() => this.select());
      }, TOGETHER),
    );
  };

  private async look(): Promise<void> {
    const view = this.hasView && asView(this.model.get("view"));
    this.hasView = false;
    if (!view || JSON.stringify(view) === JSON.stringify(asView(this.explorer.view()))) return;
    await this.explorer.show(view);
    this.reporter.takeView();
  }

  private async select(): Promise<void> {
    const ids = this.model.get("selection");
    const { snapshot } = this.explorer;
    const nodes = ids.map((id) => snapshot.find(id)).filter((node) => node !== undefined);
    try {
      if (!isSelected(this.explorer, nodes)) await selectNodes(this.explorer, nodes);
    } finally {
      this.coming--;
    }
    this.reporter.takeSelection(ids);
  }
}

/** Resolves when no layout is running. */
function settled(explorer: Explorer): Promise<void> | undefined {
  if (!explorer.state.isBusy) return undefined;
  return new Promise((resolve) => {
    const off = explorer.store.subscribe(({ isBusy }) => {
      if (isBusy) return;
      off();
      setTimeout(resolve); // callers that waited for the layout go first
    });
  });
}
