/** Which folder may import which: the design's data flow, checked in every import statement. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const SOURCES = resolve(import.meta.dirname, "../src");

/**
 * Layer → the layers that it may import, lowest first: each names only layers above it in this table. The
 * longest prefix of a file's path is its layer. A new folder must be added here.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // Pure: plain data in, plain data out.
  geometry: [],
  snapshot: [],
  layout: [],
  search: ["snapshot"],
  picture: ["snapshot", "layout"],
  // Components that every panel uses; they know no panel.
  ui: ["snapshot"],
  overlay: ["snapshot", "layout", "picture"],
  stages: ["snapshot", "layout", "picture", "ui"],
  // The state of one mount.
  store: ["geometry", "snapshot", "layout", "picture", "overlay", "stages"],
  profile: ["snapshot", "layout", "picture", "ui", "overlay", "store"],
  explorer: [
    "geometry",
    "snapshot",
    "layout",
    "search",
    "picture",
    "ui",
    "overlay",
    "stages",
    "store",
    "profile",
  ],
  // Views: one paints, one shows facts, one shows the execution order.
  canvas: ["geometry", "snapshot", "layout", "picture", "stages", "store", "explorer"],
  reports: ["snapshot", "ui", "overlay", "profile"],
  panels: ["snapshot", "search", "picture", "ui", "overlay", "stages", "profile", "reports"],
  timeline: ["geometry", "snapshot", "picture", "ui", "overlay", "profile", "canvas"],
  frame: [
    "geometry",
    "snapshot",
    "layout",
    "search",
    "picture",
    "ui",
    "overlay",
    "stages",
    "store",
    "profile",
    "explorer",
    "canvas",
    "reports",
    "panels",
    "timeline",
  ],
  compare: [
    "geometry",
    "snapshot",
    "layout",
    "picture",
    "ui",
    "overlay",
    "stages",
    "store",
    "explorer",
    "canvas",
    "panels",
    "frame",
  ],
  // Hosts carry messages and do not read the IR; documents import hosts, applications import both.
  hosts: [
    "geometry",
    "snapshot",
    "overlay",
    "stages",
    "store",
    "profile",
    "explorer",
    "canvas",
    "frame",
    "compare",
    "ui",
  ],
  documents: ["snapshot", "stages", "profile", "compare", "hosts"],
  "hosts/lab": ["hosts", "documents", "snapshot"],
  "hosts/site": ["frame", "hosts", "documents"],
};
const LAYERS = Object.keys(ALLOWED);

const layerOf = (path: string): string | undefined =>
  LAYERS.filter((layer) => path === layer || path.startsWith(`${layer}/`)).sort(
    (a, b) => b.length - a.length,
  )[0];

/** The paths that a source imports, exports from or loads, below `src` and without extensions. */
function importsOf(path: string, source: string): string[] {
  const found = source.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"(\.{1,2}\/[^"]*)"/g);
  return Array.from(found, ([, name = ""]) => relative(SOURCES, join(SOURCES, dirname(path), name)));
}

/** "panels/node.ts: profile may not import panels": imports that the table forbids. */
function broken(path: string, source: string): string[] {
  const from = layerOf(path);
  if (from === undefined) return [`${path} is in no layer`];
  return importsOf(path, source).flatMap((target) => {
    const to = layerOf(target);
    if (to === undefined) return target.startsWith("..") ? [] : [`${path} imports ${target}, in no layer`];
    return to === from || ALLOWED[from]?.includes(to) ? [] : [`${path}: ${from} may not import ${to}`];
  });
}

const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf-8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
  .sort();

describe("imports keep to the layers", () => {
  test("of every source", () => {
    const found = sources.flatMap((path) => broken(path, readFileSync(join(SOURCES, path), "utf-8")));
    expect(found).toEqual([]);
    expect(new Set(sources.map(layerOf))).toEqual(new Set(LAYERS));
  });

  test("a layer imports only layers above it, so there are no cycles", () => {
    for (const [layer, allowed] of Object.entries(ALLOWED))
      for (const each of allowed) expect(LAYERS.indexOf(each), layer).toBeLessThan(LAYERS.indexOf(layer));
    expect(LAYERS.filter((layer) => ALLOWED[layer]?.some((each) => !LAYERS.includes(each)))).toEqual([]);
  });

  const up = "../".repeat(2);

  test.each([
    ["profile/view/panel.tsx", `import type { PanelProps } from "${up}panels/actions";`],
    ["stages/view/form.tsx", `export { Section } from "${up}panels/section";`],
    ["snapshot/read.ts", 'const more = await import("../layout");'],
    ["layout/layout.ts", 'import "../canvas/view";'],
    ["elsewhere/file.ts", ""],
  ])("a forbidden import is found: %s", (path, source) => {
    expect(broken(path, source)).toHaveLength(1);
  });
});
