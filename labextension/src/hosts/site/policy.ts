/**
 * The first script of the page: sets what the page may load. Everything comes from the page's own origin;
 * only an address that the user gave as `?url=` is allowed as well.
 */
import { policyFor } from "./address";

const meta = document.createElement("meta");
meta.httpEquiv = "Content-Security-Policy";
meta.content = policyFor(location.search);
document.head.append(meta);
