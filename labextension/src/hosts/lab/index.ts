/**
 * The plugin for JupyterLab and Notebook. It registers program files in the file browser, opens them in
 * documents, and shows the saved picture of an explorer without a kernel. Every user loads this module; the
 * explorer is loaded with the first document.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator } from "@jupyterlab/translation";
import { type Rendermime, showFallbacks } from "../fallback";
import { PROGRAM_FILES, registered } from "../files";
import { SETTINGS_ATTRIBUTE } from "../settings_attribute";
import { onTabEvent, SHOWN, type ShownExplorer } from "../tab_events";
import { documents } from "./documents";
import { nameOfFileType } from "./file_type_name";
import { kernelPlugins } from "./kernel_plugins";
import { programIcon } from "./program_icon";
import { translationOf } from "./user_language";

const files: JupyterFrontEndPlugin<void> = {
  id: "exir-viz:files",
  description: "Names files of programs, and shares the settings",
  autoStart: true,
  optional: [ITranslator, ISettingRegistry],
  activate: async (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    registry: ISettingRegistry | null,
  ): Promise<void> => {
    const trans = translationOf(translator);
    for (const file of PROGRAM_FILES) {
      app.docRegistry.addFileType({
        name: registered(file.type),
        displayName: nameOfFileType(file.type, trans),
        extensions: file.extension ? [file.extension] : [],
        ...(file.pattern && { pattern: file.pattern }),
        mimeTypes: [`application/x-${file.mime}`],
        fileFormat: "base64",
        contentType: "file",
        icon: programIcon,
      });
    }
    if (registry) await shareSettings(registry);
  },
};

const outputs: JupyterFrontEndPlugin<void> = {
  id: "exir-viz:outputs",
  description: "Shows saved explorers, and saves their pictures",
  autoStart: true,
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, translator: ITranslator | null): void => {
    const trans = translationOf(translator);
    onTabEvent<ShownExplorer>(document, SHOWN, async (shown) =>
      (await import("./saved_pictures")).savePictures(shown, app.shell.widgets("main"), trans),
    );
    app.docRegistry.addWidgetExtension("Notebook", {
      createNew: (panel): undefined => {
        const { content } = panel as unknown as { content?: { rendermime?: Rendermime<unknown> } };
        if (content?.rendermime)
          showFallbacks(content.rendermime, async () => (await import("./viewer")).fallbackIn(trans));
      },
    });
  },
};

/** JupyterLab's settings of exir_viz (`schema/settings.json`), for every explorer of the page. */
async function shareSettings(registry: ISettingRegistry): Promise<void> {
  const settings = await registry.load("exir-viz:settings");
  const share = (): void =>
    document.body.setAttribute(SETTINGS_ATTRIBUTE, JSON.stringify(settings.composite));
  settings.changed.connect(share);
  share();
}

export default [files, documents, outputs, ...kernelPlugins];
