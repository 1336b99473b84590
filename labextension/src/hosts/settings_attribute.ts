/** On the page's body: the user's settings as JSON. Alone in its module, which every user of JupyterLab loads. */
export const SETTINGS_ATTRIBUTE = "data-exirviz-settings";
