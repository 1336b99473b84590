/**
 * From one source tree to the four hosts: the notebook widget, the standalone page, JupyterLab's plugin and the site.
 *
 * The widget and the page are finished here; the plugin becomes one module that `npm run build:lab` then wraps as a
 * prebuilt extension, its JupyterLab packages left to the running application; `scripts/site.py` puts the site's
 * scripts beside the Python that it reads files with. Nothing is loaded from outside.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { workerInputs, workerSourceForEsbuild } from "./worker-source.mjs";

const STATIC = "../exir_viz/widget/static";
const SITE = "lib/site";

/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  plugins: [workerSourceForEsbuild],
};

/** The plugin's stylesheet is bundled by `build:lab`, seen from lib/. @type {import("esbuild").Plugin} */
const styleForLab = {
  name: "style-for-lab",
  setup(plugins) {
    plugins.onResolve({ filter: /\/style\/explorer\.css$/, namespace: "file" }, () => ({
      path: "../style/explorer.css",
      external: true,
    }));
  },
};

/**
 * Every widget brings the text of its module, and its page would compile and run that once for each widget. This text
 * holds the module as a string, and the page imports it for the first widget only.
 *
 * @param {string} text
 */
function importedOnce(text) {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `const text = ${JSON.stringify(text)};
const imported = () => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return import(url).finally(() => URL.revokeObjectURL(url));
};
export default (await (globalThis[Symbol.for("exir_viz widget ${hash}")] ??= imported())).default;
`;
}

async function buildWidget() {
  const built = await build({ ...common, entryPoints: ["src/hosts/widget.ts"], format: "esm", write: false });
  for (const file of built.outputFiles) await writeFile(`${STATIC}/widget.js`, importedOnce(file.text));
  return built;
}

await mkdir(STATIC, { recursive: true });
const built = await Promise.all([
  buildWidget(),
  build({ ...common, entryPoints: ["src/hosts/page.ts"], format: "iife", outfile: `${STATIC}/page.js` }),
  build({
    ...common,
    entryPoints: { lab: "src/hosts/lab/index.ts" },
    format: "esm",
    // The explorer is a separate chunk that the first document loads.
    splitting: true,
    outdir: "lib",
    external: ["@jupyterlab/*", "@lumino/*"],
    plugins: [workerSourceForEsbuild, styleForLab],
  }),
  build({ ...common, entryPoints: ["style/explorer.css"], outfile: `${STATIC}/explorer.css` }),
  build({ ...common, entryPoints: { site: "src/hosts/site/index.tsx" }, format: "esm", outdir: SITE }),
  build({
    ...common,
    entryPoints: ["policy", "service_worker"].map((name) => `src/hosts/site/${name}.ts`),
    format: "iife",
    outdir: SITE,
  }),
  build({ ...common, entryPoints: ["style/site.css"], outfile: `${SITE}/site.css` }),
]);
// `licenses.mjs` lists the packages among them.
const inputs = [...workerInputs, ...built.flatMap(({ metafile }) => Object.keys(metafile.inputs))];
await writeFile("lib/inputs.json", JSON.stringify([...new Set(inputs)].sort()));
