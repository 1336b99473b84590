/** JupyterLab's settings of exir_viz (`schema/settings.json`), for every explorer of the page. */
import type { ISettingRegistry } from "@jupyterlab/settingregistry";
import { SETTINGS_ATTRIBUTE } from "../settings_attribute";

export async function shareSettings(registry: ISettingRegistry): Promise<void> {
  const settings = await registry.load("exir-viz:settings");
  const share = (): void =>
    document.body.setAttribute(SETTINGS_ATTRIBUTE, JSON.stringify(settings.composite));
  settings.changed.connect(share);
  share();
}
