/**
 * JupyterLab's host, and Notebook's. It teaches the file browser what files of programs are, opens them in documents,
 * and shows the saved picture of an explorer where there is no kernel for it any more. Every user loads this module:
 * the explorer itself is loaded with the first document.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { type Rendermime, showFallbacks } from "../fallback";
import { PROGRAM_FILES } from "../files";
import { documents } from "./documents";
import { kernelPlugins } from "./kernel_plugins";
import { programIcon } from "./program_icon";

const files: JupyterFrontEndPlugin<void> = {
  id: "exir-viz:files",
  description: "Names the files that hold exported programs, such as .pt2 and .pte",
  autoStart: true,
  activate: (app: JupyterFrontEnd): void => {
    for (const file of PROGRAM_FILES) {
      app.docRegistry.addFileType({
        name: file.name,
        displayName: file.displayName,
        extensions: file.extension ? [file.extension] : [],
        ...(file.pattern && { pattern: file.pattern }),
        mimeTypes: [file.mimeType],
        fileFormat: "base64",
        contentType: "file",
        icon: programIcon,
      });
    }
  },
};

const outputs: JupyterFrontEndPlugin<void> = {
  id: "exir-viz:outputs",
  description: "Shows the saved picture of an explorer whose kernel is gone",
  autoStart: true,
  activate: (app: JupyterFrontEnd): void => {
    app.docRegistry.addWidgetExtension("Notebook", {
      createNew: (panel): undefined => {
        const { content } = panel as unknown as { content?: { rendermime?: Rendermime<unknown> } };
        if (content?.rendermime)
          showFallbacks(content.rendermime, async () => (await import("./viewer")).showFallback);
      },
    });
  },
};

export default [files, documents, outputs, ...kernelPlugins];
