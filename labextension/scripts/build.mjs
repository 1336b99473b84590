/**
 * From one source tree to the three hosts: the notebook widget, the standalone page and JupyterLab's plugin.
 *
 * The widget and the page are finished here; the plugin becomes one module that `npm run build:lab` then wraps as a
 * prebuilt extension, its JupyterLab packages left to the running application. Nothing is loaded from outside.
 */
import { mkdir } from "node:fs/promises";
import { build } from "esbuild";
import { workerSourceForEsbuild } from "./worker-source.mjs";

const STATIC = "../exir_viz/widget/static";

/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  plugins: [workerSourceForEsbuild],
};

await mkdir(STATIC, { recursive: true });
await Promise.all([
  build({ ...common, entryPoints: ["src/hosts/widget.ts"], format: "esm", outfile: `${STATIC}/widget.js` }),
  build({ ...common, entryPoints: ["src/hosts/page.ts"], format: "iife", outfile: `${STATIC}/page.js` }),
  build({
    ...common,
    entryPoints: ["src/hosts/lab.ts"],
    format: "esm",
    outfile: "lib/lab.js",
    external: ["@jupyterlab/*", "@lumino/*"],
  }),
  build({ ...common, entryPoints: ["style/explorer.css"], outfile: `${STATIC}/explorer.css` }),
]);
