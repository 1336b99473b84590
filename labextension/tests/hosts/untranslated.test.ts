/** No text of JupyterLab's extension is written past the translator, outside of the explorer. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { untranslatedLiterals } from "./untranslated";

const SOURCES = join(import.meta.dirname, "../../src");
const FOLDERS = ["documents", "hosts/lab"];
const FILES = ["hosts/fallback.ts", "hosts/files.ts", "hosts/saved_output.ts", "hosts/translation.ts"];

/** What only looks like a text, or is not shown in JupyterLab: by file, its start. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // Runs in a web worker, which has no translator. These report a fault in exir_viz itself.
  "documents/pyodide/reader.ts": [
    "The page sent an invalid message.",
    "Python answered with code …",
    "\nimport sys",
  ],
  // Python code.
  "hosts/lab/program_list.ts": ["__import__("],
  "documents/file_view.ts": ["import exir_viz; "],
  "documents/notebook.ts": ["import exir_viz\n", "    session = exir_viz.load("],
  // Names that JupyterLab and Jupyter Server know.
  "hosts/lab/index.ts": [
    "Names files of programs, and shares the settings", // JupyterLab's own descriptions are English too
    "Shows saved explorers",
    "Notebook",
  ],
  "hosts/lab/documents.ts": ["Opens files of programs"],
  "hosts/lab/kernel_plugins.ts": ["Lists programs of the active kernel", "Moves explorers into tabs"],
  // The widget manager's text, which is compared.
  "hosts/fallback.ts": ["Error displaying widget"],
};

const files = [
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(SOURCES, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && basename(name) !== "schema.ts") // made from Python, without texts
      .map((name) => join(folder, name)),
  ),
  ...FILES,
];

const textIn = (found: string): string => found.slice(found.indexOf(": ") + 2);

test.each(files)("%s", (file) => {
  const found = untranslatedLiterals(readFileSync(join(SOURCES, file), "utf8"));
  const exceptions = EXCEPTIONS[file] ?? [];
  const isException = (one: string): boolean => exceptions.some((start) => textIn(one).startsWith(start));
  expect(found.filter((one) => !isException(one))).toEqual([]);
  // An exception that excuses nothing any more is removed.
  expect(exceptions.filter((start) => !found.some((one) => textIn(one).startsWith(start)))).toEqual([]);
});

test("every file with an exception is read", () => {
  expect(Object.keys(EXCEPTIONS).filter((file) => !files.includes(file))).toEqual([]);
});

test.each([
  ['show("Try again");', "Try again"],
  ['const label = "Reload";', "Reload"],
  ['button.textContent = "reload";', "reload"],
  ['button.textContent = isOpen ? "close" : trans.__("Open");', "close"],
  ['box.setAttribute("aria-label", "select");', "select"],
  [`throw new Error(\`The file \${name} is missing\`);`, "The file … is missing"],
  [`throw new Error(\`\${name} is missing\`);`, "… is missing"],
  ['add({ label: "explore" });', "explore"],
  ['fail({ reason: "gone", remedy: trans.__("Try again.") });', "gone"],
  ['const note = <p title="more">{text}</p>;', "more"],
  ["const note = <p>wait</p>;", "wait"],
  ["show(trans.__(problem));", "problem is not a literal"],
])("finds the text of %s", (source, text) => {
  expect(untranslatedLiterals(source)).toEqual([`1: ${text}`]);
});

test.each([
  'import { one } from "./Some name";',
  'button.textContent = trans.__("Try again");',
  'show(this.trans._n("%2 node", "%2 nodes", count, grouped(count)));',
  'row.className = "exirviz-button";',
  'box.setAttribute("role", "status");',
  'type Kind = "Some text" | "Another";',
  'if (ename === "ModuleNotFoundError") return;',
  'request({ kind: "read", id: 1 });',
])("finds none in %s", (source) => {
  expect(untranslatedLiterals(source)).toEqual([]);
});
