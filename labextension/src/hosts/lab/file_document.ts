/** The content of a document: empty until it is visible; then the reader and viewer are loaded. */
import type { DocumentRegistry } from "@jupyterlab/docregistry";
import type { Contents, ServerConnection } from "@jupyterlab/services";
import { Widget } from "@lumino/widgets";
import type { Translation } from "../translation";
import type { OpenFile } from "./open_file";

export class FileDocument extends Widget {
  private opened: Promise<OpenFile> | undefined;

  constructor(
    private readonly context: DocumentRegistry.Context,
    private readonly contents: Contents.IManager,
    private readonly settings: ServerConnection.ISettings,
    private readonly trans: Translation,
  ) {
    super();
    this.addClass("exirviz-document-content");
  }

  /** Shows what changed from this file to another. */
  async compareWith(path: string): Promise<void> {
    await (await this.open()).view.compareWith(path);
  }

  override dispose(): void {
    if (this.isDisposed) return;
    void this.opened?.then((file) => file.dispose());
    super.dispose();
  }

  /** Notebook's tree creates documents that it never shows: they read nothing. */
  protected override onAfterAttach(): void {
    void this.open();
  }

  protected override onAfterShow(): void {
    void this.opened?.then((file) => file.check());
  }

  private open(): Promise<OpenFile> {
    this.opened ??= import("./viewer").then(
      ({ OpenFile }) => new OpenFile(this, this.context, this.contents, this.settings, this.trans),
    );
    return this.opened;
  }
}
