/**
 * Adds the licenses of the packages that esbuild bundled to `third-party-licenses.json` of the prebuilt extension,
 * whose own build knows only the loaders of styles. `build.mjs` writes which files went into the bundles.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LISTED = "../exir_viz/labextension/static/third-party-licenses.json";

/** @type {string[]} */
const inputs = JSON.parse(readFileSync("lib/inputs.json", "utf8"));
const folders = new Set(inputs.map((input) => input.match(/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]));
/** @type {{ packages: { name: string, versionInfo: string, licenseId: string, extractedText: string }[] }} */
const { packages } = JSON.parse(readFileSync(LISTED, "utf8"));

for (const folder of folders) {
  if (folder === undefined) continue;
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no file with its license.`);
  packages.push({
    name,
    versionInfo: version,
    licenseId: license,
    extractedText: readFileSync(join(folder, file), "utf8"),
  });
}
packages.sort((a, b) => (a.name < b.name ? -1 : 1));
writeFileSync(LISTED, `${JSON.stringify({ packages }, null, 2)}\n`);
