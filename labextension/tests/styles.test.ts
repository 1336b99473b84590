/** Style sheets: each is in the list, and each class in them is used by an element. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const FRONT_END = join(import.meta.dirname, "..");
const STYLE = join(FRONT_END, "style");
const SOURCE = join(FRONT_END, "src");

function filesOf(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));
}

const read = (path: string): string => readFileSync(path, "utf8");
const namesIn = (text: string): string[] => text.match(/exirviz-[a-z0-9-]*/g) ?? [];

test("explorer.css imports every style sheet of a component, once", () => {
  const imported = [...read(join(STYLE, "explorer.css")).matchAll(/@import "\.\.\/(src\/.+)";/g)].map(
    ([, path]) => path,
  );
  const sheets = filesOf(SOURCE, /\.css$/).map((path) => relative(FRONT_END, path));
  expect(sheets.length).toBeGreaterThan(40);
  expect(imported.sort()).toEqual(sheets.sort());
});

test("no style sheet has rules for an unused class", () => {
  const code = filesOf(SOURCE, /\.tsx?$/).flatMap((path) => namesIn(read(path)));
  const whole = new Set(code);
  // `exirviz-severity-${severity}`: a name that ends in a hyphen is the prefix of several classes.
  const beginnings = [...whole].filter((name) => name.endsWith("-") && name !== "exirviz-");
  const named = [...filesOf(SOURCE, /\.css$/), ...filesOf(STYLE, /\.css$/)].flatMap((path) =>
    [...read(path).matchAll(/\.(exirviz-[a-z0-9-]+)/g)].map(([, name]) => name ?? ""),
  );
  const unused = [...new Set(named)].filter(
    (name) => !whole.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)),
  );
  expect(unused).toEqual([]);
});
