/**
 * Files of programs as documents: opened by double-click, compared with another file, explored further in a notebook.
 * JupyterLab never fetches their contents: a provider reads them where they are.
 */
import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from "@jupyterlab/application";
import { ICommandPalette, ToolbarButton, WidgetTracker } from "@jupyterlab/apputils";
import { IDocumentManager } from "@jupyterlab/docmanager";
import {
  ABCWidgetFactory,
  type DocumentRegistry,
  DocumentWidget,
  TextModelFactory,
} from "@jupyterlab/docregistry";
import { IFileBrowserFactory } from "@jupyterlab/filebrowser";
import type { Contents } from "@jupyterlab/services";
import { isProgramFile, PROGRAM_FILES } from "../files";
import { FileDocument } from "./file_document";

const FACTORY = "exir_viz";
const MODEL = "exir-viz-file";
const COMPARE = "exir-viz:compare-with";
const COMPARE_SELECTED = "exir-viz:compare-selected";
const NOTEBOOK = "exir-viz:explore-in-notebook";
/** Of entries in the file browser. */
const SELECTOR = '.jp-DirListing-item[data-file-type^="exir-viz-"]';

/** A model without contents: a file of gigabytes stays where it is. */
class FileModelFactory extends TextModelFactory {
  override get name(): string {
    return MODEL;
  }

  /** Null: JupyterLab asks for the file's name and time only, although the type of this does not say so. */
  override get fileFormat(): Contents.FileFormat {
    return null;
  }
}

class Factory extends ABCWidgetFactory<DocumentWidget<FileDocument>> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<DocumentWidget<FileDocument>>,
    private readonly app: JupyterFrontEnd,
  ) {
    super(options);
  }

  protected createNewWidget(context: DocumentRegistry.Context): DocumentWidget<FileDocument> {
    const { contents, serverSettings } = this.app.serviceManager;
    return new DocumentWidget({ content: new FileDocument(context, contents, serverSettings), context });
  }

  protected override defaultToolbarFactory(): DocumentRegistry.IToolbarItem[] {
    const button = (id: string, label: string, tooltip: string): DocumentRegistry.IToolbarItem => ({
      name: id,
      widget: new ToolbarButton({ label, tooltip, onClick: () => void this.app.commands.execute(id) }),
    });
    return [
      button(COMPARE, "Compare with…", "Show what changed from this file to another"),
      button(NOTEBOOK, "Explore in a notebook", "Create a notebook that loads this file"),
    ];
  }
}

export const documents: JupyterFrontEndPlugin<void> = {
  id: "exir-viz:documents",
  description: "Opens files of programs, without a kernel",
  autoStart: true,
  requires: [IDocumentManager],
  optional: [ILabShell, ILayoutRestorer, ICommandPalette, IFileBrowserFactory],
  activate: (
    app: JupyterFrontEnd,
    manager: IDocumentManager,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    browsers: IFileBrowserFactory | null,
  ): void => {
    const tracker = new WidgetTracker<DocumentWidget<FileDocument>>({ namespace: FACTORY });
    const fileTypes = PROGRAM_FILES.map(({ name }) => name);
    app.docRegistry.addModelFactory(new FileModelFactory(false));
    const factory = new Factory(
      { name: FACTORY, modelName: MODEL, fileTypes, defaultFor: fileTypes, readOnly: true },
      app,
    );
    app.docRegistry.addWidgetFactory(factory as unknown as DocumentRegistry.WidgetFactory);
    factory.widgetCreated.connect((_, widget) => {
      widget.title.icon = app.docRegistry.getFileTypesForPath(widget.context.path)[0]?.icon;
      widget.context.pathChanged.connect(() => void tracker.save(widget));
      void tracker.add(widget);
    });
    if (restorer) {
      void restorer.restore(tracker, {
        command: "docmanager:open",
        args: ({ context }) => ({ path: context.path, factory: FACTORY }),
        name: ({ context }) => context.path,
      });
    }
    const isShown = (): boolean =>
      tracker.currentWidget !== null && tracker.currentWidget === app.shell.currentWidget;
    app.commands.addCommand(COMPARE, {
      label: "Compare Program with…",
      caption: "Show what changed from this file to another",
      isEnabled: isShown,
      execute: async () => {
        const widget = tracker.currentWidget;
        if (!widget) return;
        const { pickFile } = await import("./actions");
        const path = await pickFile(manager, widget.context.path);
        if (path) await widget.content.compareWith(path);
      },
    });
    app.commands.addCommand(NOTEBOOK, {
      label: "Explore Program in a Notebook",
      caption: "Create a notebook that loads this file",
      isEnabled: isShown,
      execute: async () => {
        const path = tracker.currentWidget?.context.path;
        if (!path) return;
        const { exploreInNotebook } = await import("./actions");
        await exploreInNotebook(app, path);
      },
    });
    for (const command of [COMPARE, NOTEBOOK]) palette?.addItem({ command, category: "exir_viz" });
    if (!labShell || !browsers) return; // Notebook opens each document in a page of its own
    const selected = (): readonly string[] => {
      const items = [...(browsers.tracker.currentWidget?.selectedItems() ?? [])];
      return items.every(({ name }) => isProgramFile(name)) ? items.map(({ path }) => path) : [];
    };
    app.commands.addCommand(COMPARE_SELECTED, {
      label: "Compare Programs",
      isVisible: () => selected().length === 2,
      execute: async () => {
        const [a = "", b = ""] = selected();
        const widget = manager.openOrReveal(a, FACTORY);
        if (widget?.content instanceof FileDocument) await widget.content.compareWith(b);
      },
    });
    app.contextMenu.addItem({ command: COMPARE_SELECTED, selector: SELECTOR, rank: 3 });
  },
};
