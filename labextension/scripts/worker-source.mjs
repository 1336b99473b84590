/**
 * `import source from "./layout.worker?source"` gives the worker, bundled and minified, as a string.
 *
 * A worker that travels inside its page needs no URL of its own: that is what works from a notebook's output,
 * from a prebuilt JupyterLab extension and from `file://` alike. The same bundling serves esbuild (the product)
 * and vitest (its tests); no generated file lies about in the source tree.
 */
import { dirname, resolve } from "node:path";
import { build } from "esbuild";

const SUFFIX = "?source";
const TARGET = "es2022";

/** The files that esbuild bundled into workers. @type {Set<string>} */
export const workerInputs = new Set();

/**
 * The worker at `path` (with or without its extension) as one classic script, and the files it was made of.
 * @param {string} path
 * @returns {Promise<{ text: string, inputs: string[] }>}
 */
export async function bundleWorker(path) {
  const bundled = await build({
    entryPoints: [path],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: TARGET,
    legalComments: "none",
    metafile: true,
  });
  const text = bundled.outputFiles.map((script) => script.text).join("");
  return { text, inputs: Object.keys(bundled.metafile.inputs).map((input) => resolve(input)) };
}

/** @type {import("esbuild").Plugin} */
export const workerSourceForEsbuild = {
  name: "worker-source",
  setup(plugins) {
    plugins.onResolve({ filter: /\?source$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.slice(0, -SUFFIX.length)),
      namespace: "worker-source",
    }));
    plugins.onLoad({ filter: /.*/, namespace: "worker-source" }, async ({ path }) => {
      const { text, inputs } = await bundleWorker(path);
      for (const input of inputs) workerInputs.add(input);
      return { contents: text, loader: "text", watchFiles: inputs };
    });
  },
};

/** @type {import("vitest/config").Plugin} */
export const workerSourceForVite = {
  name: "worker-source",
  enforce: "pre",
  resolveId(id, importer) {
    return id.endsWith(SUFFIX) && importer ? `\0${resolve(dirname(importer), id)}` : null;
  },
  async load(id) {
    if (!id.startsWith("\0") || !id.endsWith(SUFFIX)) return null;
    const { text, inputs } = await bundleWorker(id.slice(1, -SUFFIX.length));
    for (const input of inputs) this.addWatchFile(input);
    return `export default ${JSON.stringify(text)};`;
  },
};
