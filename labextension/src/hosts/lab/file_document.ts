/** The content of a document: loads the explorer, reads the file once it is seen, and watches whether it changes. */
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { Contents, ServerConnection } from "@jupyterlab/services";
import { Widget } from "@lumino/widgets";
import type { ChangeWatch } from "../../documents/change_watch";
import type { FileView } from "../../documents/file_view";

/** Milliseconds between two looks at the file's time, as the file browser does. */
const INTERVAL = 10_000;

export class FileDocument extends Widget {
  private opened: Promise<{ readonly view: FileView; readonly watch: ChangeWatch }> | undefined;
  private timer = 0;

  constructor(
    private readonly context: DocumentRegistry.Context,
    private readonly contents: Contents.IManager,
    private readonly settings: ServerConnection.ISettings,
  ) {
    super();
    this.addClass("exirviz-document-content");
    context.pathChanged.connect(this.onPath, this);
    // JupyterLab's own "Reload from Disk"; its signal comes for the first time too, before the context is ready.
    context.fileChanged.connect(this.onFile, this);
  }

  /** Shows what changed from this file to another. */
  async compareWith(path: string): Promise<void> {
    const { view } = await this.open();
    await view.compareWith(path);
  }

  override dispose(): void {
    if (this.isDisposed) return;
    window.clearInterval(this.timer);
    window.removeEventListener("focus", this.check);
    void this.opened?.then(({ view }) => view.dispose());
    super.dispose();
  }

  /** Notebook's tree makes documents that it never shows: nothing is read for them. */
  protected override onAfterAttach(): void {
    void this.open();
  }

  protected override onAfterShow(): void {
    this.check();
  }

  private open() {
    this.opened ??= this.start();
    return this.opened;
  }

  private async start() {
    const { FileView, ChangeWatch, fileProvider } = await import("./viewer");
    const { contents, context, settings } = this;
    const view = new FileView(this.node, fileProvider(contents, settings), context.path);
    const stamp = async (): Promise<string> => {
      const { last_modified, size } = await contents.get(context.path, { content: false });
      return `${last_modified} ${size}`;
    };
    const watch = new ChangeWatch(stamp, () => view.offerReload());
    if (this.isDisposed) view.dispose();
    else {
      this.timer = window.setInterval(this.check, INTERVAL);
      window.addEventListener("focus", this.check);
      void watch.start();
      void view.read();
    }
    return { view, watch };
  }

  private onPath(): void {
    void this.opened?.then(({ view }) => view.rename(this.context.path));
  }

  private onFile(): void {
    if (this.context.isReady) void this.reload();
  }

  private async reload(): Promise<void> {
    const { view, watch } = (await this.opened) ?? {};
    void watch?.start();
    await view?.read();
  }

  private readonly check = (): void => {
    if (this.isVisible && !document.hidden) void this.opened?.then(({ watch }) => watch.check());
  };
}
