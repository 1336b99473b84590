/**
 * Program files as documents: opened by double click, compared with another file, continued in a notebook.
 * JupyterLab never loads their content: a provider reads them in place.
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
  DocumentModel,
  type DocumentRegistry,
  DocumentWidget,
  TextModelFactory,
} from "@jupyterlab/docregistry";
import { IFileBrowserFactory } from "@jupyterlab/filebrowser";
import { ILauncher } from "@jupyterlab/launcher";
import type { Contents } from "@jupyterlab/services";
import { ITranslator, type TranslationBundle } from "@jupyterlab/translation";
import { isProgramFile, PROGRAM_FILES, registered } from "../files";
import { FileDocument } from "./file_document";
import { programIcon } from "./program_icon";
import { translationOf } from "./user_language";

const FACTORY = "exir_viz";
const MODEL = "exir-viz-file";
const OPEN = "exir-viz:open";
const COMPARE = "exir-viz:compare-with";
const COMPARE_SELECTED = "exir-viz:compare-selected";
const NOTEBOOK = "exir-viz:explore-in-notebook";

/** A model without content: a file of gigabytes is not loaded. */
class FileModelFactory extends TextModelFactory {
  override get name(): string {
    return MODEL;
  }

  /** Null: JupyterLab asks only for the file's name and time, although this type forbids null. */
  override get fileFormat(): Contents.FileFormat {
    return null;
  }

  /** JupyterLab saves no collaborative model, and makes no checkpoint of one: a copy of the whole file. */
  override createNew(options?: Parameters<TextModelFactory["createNew"]>[0]): DocumentModel {
    return new DocumentModel({ ...options, collaborationEnabled: true });
  }
}

class Factory extends ABCWidgetFactory<DocumentWidget<FileDocument>> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<DocumentWidget<FileDocument>>,
    private readonly app: JupyterFrontEnd,
    private readonly trans: TranslationBundle,
  ) {
    super(options);
  }

  protected createNewWidget(context: DocumentRegistry.Context): DocumentWidget<FileDocument> {
    const { contents, serverSettings } = this.app.serviceManager;
    const content = new FileDocument(context, contents, serverSettings, this.trans);
    return new DocumentWidget({ content, context });
  }

  protected override defaultToolbarFactory(): DocumentRegistry.IToolbarItem[] {
    const { commands } = this.app;
    const button = (name: string, label: string): DocumentRegistry.IToolbarItem => ({
      name,
      widget: new ToolbarButton({
        label,
        tooltip: commands.caption(name),
        onClick: () => void commands.execute(name),
      }),
    });
    const { trans } = this;
    return [button(COMPARE, trans.__("Compare with…")), button(NOTEBOOK, trans.__("Explore in a notebook"))];
  }
}

export const documents: JupyterFrontEndPlugin<void> = {
  id: "exir-viz:documents",
  description: "Opens files of programs",
  autoStart: true,
  requires: [IDocumentManager],
  optional: [ITranslator, ILabShell, ILayoutRestorer, ICommandPalette, IFileBrowserFactory, ILauncher],
  activate: (
    app: JupyterFrontEnd,
    manager: IDocumentManager,
    translator: ITranslator | null,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    browsers: IFileBrowserFactory | null,
    launcher: ILauncher | null,
  ): void => {
    const trans = translationOf(translator);
    const tracker = new WidgetTracker<DocumentWidget<FileDocument>>({ namespace: FACTORY });
    const fileTypes = PROGRAM_FILES.map(({ type }) => registered(type));
    app.docRegistry.addModelFactory(new FileModelFactory(false));
    const factory = new Factory(
      { name: FACTORY, modelName: MODEL, fileTypes, defaultFor: fileTypes, readOnly: true },
      app,
      trans,
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
    const actions = () => import("./actions");
    app.commands.addCommand(OPEN, {
      label: trans.__("Open Program…"),
      caption: trans.__("Choose a file to explore"),
      icon: programIcon,
      execute: async () =>
        (await actions()).openProgram(manager, browsers?.tracker.currentWidget?.model.path ?? "", trans),
    });
    app.commands.addCommand(COMPARE, {
      label: trans.__("Compare Program with…"),
      caption: trans.__("Show what changed from this file to another"),
      isEnabled: isShown,
      execute: async () =>
        tracker.currentWidget && (await actions()).compareWithOther(manager, tracker.currentWidget, trans),
    });
    app.commands.addCommand(NOTEBOOK, {
      label: trans.__("Explore Program in a Notebook"),
      caption: trans.__("Create a notebook that loads this file"),
      isEnabled: isShown,
      execute: async () =>
        tracker.currentWidget &&
        (await actions()).exploreInNotebook(app, tracker.currentWidget.context.path, trans),
    });
    for (const command of [OPEN, COMPARE, NOTEBOOK]) palette?.addItem({ command, category: "exir_viz" });
    launcher?.add({ command: OPEN });
    if (!labShell || !browsers) return; // Notebook opens each document in a page of its own
    const selected = (): readonly string[] => {
      const items = [...(browsers.tracker.currentWidget?.selectedItems() ?? [])];
      return items.every(({ name }) => isProgramFile(name)) ? items.map(({ path }) => path) : [];
    };
    app.commands.addCommand(COMPARE_SELECTED, {
      label: trans.__("Compare Programs"),
      isVisible: () => selected().length === 2,
      execute: async () => {
        const [a = "", b = ""] = selected();
        const widget = manager.openOrReveal(a, FACTORY);
        if (widget?.content instanceof FileDocument) await widget.content.compareWith(b);
      },
    });
  },
};
