/** What the commands of a document do; loaded when one is used. */
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { showErrorMessage } from "@jupyterlab/apputils";
import type { IDocumentManager } from "@jupyterlab/docmanager";
import { FileDialog } from "@jupyterlab/filebrowser";
import { notebookFor } from "../../documents/notebook";
import { folderOf, nameOf } from "../../documents/paths";
import { isProgramFile } from "../files";

/** Another file of a program; undefined where none is chosen. */
export async function pickFile(manager: IDocumentManager, path: string): Promise<string | undefined> {
  const { button, value } = await FileDialog.getOpenFiles({
    manager,
    title: `Compare ${nameOf(path)} with…`,
    defaultPath: folderOf(path),
    filter: ({ name, type }) => (type === "directory" || isProgramFile(name) ? {} : null),
  });
  const [file] = button.accept ? (value ?? []) : [];
  return file?.type === "directory" ? undefined : file?.path;
}

export async function exploreInNotebook(
  { serviceManager, commands }: JupyterFrontEnd,
  path: string,
): Promise<void> {
  const { contents, kernelspecs } = serviceManager;
  try {
    const specs = kernelspecs.specs;
    const spec = specs?.kernelspecs[specs.default];
    const content = notebookFor(nameOf(path), spec && { name: spec.name, display_name: spec.display_name });
    const made = await contents.newUntitled({ path: folderOf(path), type: "notebook" });
    await contents.save(made.path, { type: "notebook", format: "json", content });
    await commands.execute("docmanager:open", { path: made.path });
  } catch (problem) {
    await showErrorMessage(`Cannot create a notebook for ${nameOf(path)}`, problem as Error);
  }
}
