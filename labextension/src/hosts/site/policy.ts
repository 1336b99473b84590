/**
 * The first script of the page: says what the page may load, before it loads anything. Everything comes from where the
 * page itself comes from; only an address that the user gave as `?url=` is asked for beside it.
 */
import { policyFor } from "./address";

const meta = document.createElement("meta");
meta.httpEquiv = "Content-Security-Policy";
meta.content = policyFor(location.search);
document.head.append(meta);
