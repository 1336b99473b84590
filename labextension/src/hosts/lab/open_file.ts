/** A file in a document: read, shown, and watched for changes. */
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { Contents, ServerConnection } from "@jupyterlab/services";
import type { Widget } from "@lumino/widgets";
import { ChangeWatch } from "../../documents/change_watch";
import { FileView } from "../../documents/file_view";
import type { FileProvider } from "../../documents/provider";
import type { Translation } from "../translation";
import { PageProvider, readerAddress } from "./page_provider";
import { ServerProvider } from "./server_provider";

/** Milliseconds between checks of the file's time, as in the file browser. */
const INTERVAL = 10_000;

export class OpenFile {
  readonly view: FileView;
  private readonly watch: ChangeWatch;
  private timer = 0;

  constructor(
    private readonly host: Widget,
    private readonly context: DocumentRegistry.Context,
    contents: Contents.IManager,
    settings: ServerConnection.ISettings,
    trans: Translation,
  ) {
    this.view = new FileView(host.node, providerFor(contents, settings, trans), context.path, trans);
    const stamp = async (): Promise<string> => {
      const { last_modified, size } = await contents.get(context.path, { content: false });
      return `${last_modified} ${size}`;
    };
    this.watch = new ChangeWatch(stamp, () => this.view.offerReload());
    if (host.isDisposed) {
      this.view.dispose();
      return;
    }
    context.pathChanged.connect(this.onPath, this);
    // JupyterLab's own "Reload from Disk"; its signal also comes once before the context is ready.
    context.fileChanged.connect(this.onFile, this);
    this.timer = window.setInterval(this.check, INTERVAL);
    window.addEventListener("focus", this.check);
    void this.watch.start();
    void this.view.read();
  }

  readonly check = (): void => {
    if (this.host.isVisible && !document.hidden) void this.watch.check();
  };

  dispose(): void {
    window.clearInterval(this.timer);
    window.removeEventListener("focus", this.check);
    this.context.pathChanged.disconnect(this.onPath, this);
    this.context.fileChanged.disconnect(this.onFile, this);
    this.view.dispose();
  }

  private onPath(): void {
    this.view.rename(this.context.path);
  }

  private onFile(): void {
    if (!this.context.isReady) return;
    void this.watch.start();
    void this.view.read();
  }
}

/** One for all documents of the page: Python is loaded once. */
let ofPage: PageProvider | undefined;

function providerFor(
  contents: Contents.IManager,
  settings: ServerConnection.ISettings,
  trans: Translation,
): FileProvider {
  const address = readerAddress(document, settings.baseUrl);
  if (address === undefined) return new ServerProvider(contents, settings, trans);
  ofPage ??= new PageProvider(address, contents, trans);
  return ofPage;
}
