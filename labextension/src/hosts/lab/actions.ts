/** The commands of a document; loaded when one is used. */
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { showErrorMessage } from "@jupyterlab/apputils";
import type { IDocumentManager } from "@jupyterlab/docmanager";
import type { IDocumentWidget } from "@jupyterlab/docregistry";
import { FileDialog } from "@jupyterlab/filebrowser";
import type { TranslationBundle } from "@jupyterlab/translation";
import { notebookFor } from "../../documents/notebook";
import { folderOf, nameOf } from "../../documents/paths";
import { isProgramFile } from "../files";
import type { FileDocument } from "./file_document";

/** Opens the file that the user chooses. */
export async function openProgram(
  manager: IDocumentManager,
  folder: string,
  trans: TranslationBundle,
): Promise<void> {
  const path = await pickFile(manager, folder, trans.__("Open program"));
  if (path) manager.openOrReveal(path);
}

/** Compares a document with the file that the user chooses. */
export async function compareWithOther(
  manager: IDocumentManager,
  { context: { path }, content }: IDocumentWidget<FileDocument>,
  trans: TranslationBundle,
): Promise<void> {
  const other = await pickFile(manager, folderOf(path), trans.__("Compare %1 with…", nameOf(path)));
  if (other) await content.compareWith(other);
}

/** The file of a program that the user chooses; undefined where none is chosen. */
async function pickFile(
  manager: IDocumentManager,
  folder: string,
  title: string,
): Promise<string | undefined> {
  const { button, value } = await FileDialog.getOpenFiles({
    manager,
    title,
    defaultPath: folder,
    filter: ({ name, type }) => (type === "directory" || isProgramFile(name) ? {} : null),
  });
  const [file] = button.accept ? (value ?? []) : [];
  return file?.type === "directory" ? undefined : file?.path;
}

export async function exploreInNotebook(
  { serviceManager, commands }: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle,
): Promise<void> {
  const { contents, kernelspecs } = serviceManager;
  try {
    const specs = kernelspecs.specs;
    const spec = specs?.kernelspecs[specs.default];
    const content = notebookFor(
      nameOf(path),
      trans,
      spec && { name: spec.name, display_name: spec.display_name },
    );
    const made = await contents.newUntitled({ path: folderOf(path), type: "notebook" });
    await contents.save(made.path, { type: "notebook", format: "json", content });
    await commands.execute("docmanager:open", { path: made.path });
  } catch (problem) {
    await showErrorMessage(trans.__("Cannot create a notebook for %1", nameOf(path)), problem as Error);
  }
}
