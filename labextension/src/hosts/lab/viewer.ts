/** What the first document loads: the explorer, its style, and the provider of files. */
import "../../../style/explorer.css";

export { ChangeWatch } from "../../documents/change_watch";
export { FileView } from "../../documents/file_view";
export { ServerProvider } from "./server_provider";
