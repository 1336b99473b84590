/** Loaded when a program is shown: the explorer, its style, and its hosts in JupyterLab. */
import "../../../style/explorer.css";

export { fallbackIn } from "../saved_output";
export { OpenFile } from "./open_file";
export { Sidebar } from "./sidebar";
