/** What the first document loads: the explorer, its style, and the provider of files. */
import "../../../style/explorer.css";
import type { Contents, ServerConnection } from "@jupyterlab/services";
import type { FileProvider } from "../../documents/provider";
import { ServerProvider } from "./server_provider";

export { ChangeWatch } from "../../documents/change_watch";
export { FileView } from "../../documents/file_view";
export { asSavedOutput, showSaved } from "../saved_output";
export { Sidebar } from "./sidebar";

/** Whoever reads the files here. */
export const fileProvider = (
  contents: Contents.IManager,
  settings: ServerConnection.ISettings,
): FileProvider => new ServerProvider(contents, settings);
