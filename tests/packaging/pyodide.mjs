// Runs Python in Pyodide: what is asked comes as JSON on stdin, and what the code prints goes to stdout.
//
//   { pyodide: the package's folder, wheels: paths, files: { path within: path outside }, code: Python }
//
// Nothing is fetched: wheels are unpacked where packages are looked for.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Not a Buffer: Pyodide takes plain arrays alone.
const bytes = (path) => new Uint8Array(readFileSync(path));
const asked = JSON.parse(readFileSync(0, "utf8"));
const { loadPyodide } = await import(pathToFileURL(join(asked.pyodide, "pyodide.mjs")).href);
const python = await loadPyodide();
const site = python.runPython("import site; site.getsitepackages()[0]");
for (const wheel of asked.wheels) python.unpackArchive(bytes(wheel), "zip", { extractDir: site });
for (const [within, outside] of Object.entries(asked.files)) python.FS.writeFile(within, bytes(outside));
python.runPython(asked.code);
