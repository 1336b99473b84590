/**
 * Builds the gallery into gallery/dist: one page with every panel in every state, in both themes, on programs
 * of the corpus. The page contains the programs, so it also opens from file://.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { workerSourceForEsbuild } from "../scripts/worker-source.mjs";

const here = import.meta.dirname;
const out = join(here, "dist");
const corpus = process.env["EXIR_VIZ_CORPUS"] ?? join(here, "../../.cache/corpus");

/**
 * `import bytes from "program:bert.core"`: a program's bytes, empty if the corpus lacks it; `from
 * "diff:core"`: a comparison, or null.
 */
/** @type {import("esbuild").Plugin} */
const programs = {
  name: "programs",
  setup(plugins) {
    plugins.onResolve({ filter: /^program:/ }, ({ path }) => {
      const file = join(corpus, `${path.slice("program:".length)}.exirviz`);
      return existsSync(file) ? { path: file } : { path, namespace: "no-program" };
    });
    plugins.onResolve({ filter: /^diff:/ }, ({ path }) => {
      const file = join(corpus, `${path.slice("diff:".length)}.diff.json`);
      return existsSync(file) ? { path: file } : { path, namespace: "no-diff" };
    });
    plugins.onLoad({ filter: /.*/, namespace: "no-diff" }, () => ({ contents: "null", loader: "json" }));
    plugins.onLoad({ filter: /\.exirviz$/ }, async ({ path }) => ({
      contents: await (await import("node:fs/promises")).readFile(path),
      loader: "binary",
    }));
    plugins.onLoad({ filter: /.*/, namespace: "no-program" }, () => ({ contents: "", loader: "binary" }));
  },
};

await mkdir(out, { recursive: true });
await build({
  entryPoints: { gallery: join(here, "gallery.tsx") },
  bundle: true,
  format: "esm",
  target: "es2022",
  sourcemap: "inline",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: out,
  logLevel: "warning",
  plugins: [programs, workerSourceForEsbuild],
});
await build({
  entryPoints: { style: join(here, "gallery.css") },
  bundle: true,
  outdir: out,
  logLevel: "warning",
});
await copyFile(join(here, "index.html"), join(out, "index.html"));
