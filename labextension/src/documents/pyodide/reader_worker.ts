/** The worker that reads files. Its script travels with the page, whose policy therefore binds it too. */
import type { Port } from "./provider";
import source from "./reader.worker?source";

export function newReader(): Port {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" }); // Pyodide runs in no other
  URL.revokeObjectURL(url);
  return worker;
}
