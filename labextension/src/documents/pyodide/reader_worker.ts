/** The worker that reads files. Its script travels with the page, whose policy therefore binds it too. */
import type { Port } from "./pyodide_provider";
import source from "./reader.worker?source";

export function newReader(): Port {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}
