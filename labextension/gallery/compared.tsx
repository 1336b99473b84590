/** Scenes of comparisons: each view mode, two equal programs, and one with an error. */
import core from "diff:core";
import dropout from "diff:dropout";
import same from "diff:same";
import type { Columns } from "../src/compare";
import type { Compared } from "../src/compare/model/compared_programs";
import type { Comparison } from "../src/compare/model/schema";
import { mountCompare } from "../src/hosts/compare";
import { readFile } from "../src/snapshot";
import { measuredOf } from "./measured";
import { type Mount, Mounted } from "./mounted";
import type { Scene } from "./scenes";

type Parts = typeof core;

async function compared(parts: Parts, comparison = parts?.comparison): Promise<Compared> {
  if (!parts) throw new Error("The corpus has none: python -m tests.corpus makes it.");
  const [a, b] = await Promise.all(parts.sides.map((side) => readFile(bytesOf(side))));
  if (!a || !b) throw new Error("A comparison has two sides.");
  return { snapshots: [a, b], between: [{ comparison, text: async () => parts.text }] };
}

/** Three programs: those of one comparison, and the next stage of the last. */
async function inColumns(first: Parts, then: Parts): Promise<Compared> {
  const [one, two] = await Promise.all([compared(first), compared(then)]);
  return {
    snapshots: [...one.snapshots, ...two.snapshots.slice(1)],
    between: [...one.between, ...two.between],
  };
}

/** With values and costs. */
async function measured(parts: Parts): Promise<Compared> {
  const { snapshots, between } = await compared(parts);
  const known = async () => measuredOf(parts?.comparison as Comparison);
  const values = "Nothing is run in the gallery.";
  return { snapshots, between: between.map((each) => ({ ...each, measured: { known, values } })) };
}

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** `act`: what to do after it is shown. */
const scene = (name: string, given: () => Promise<Compared>, act?: (columns: Columns) => unknown): Scene => {
  const mount: Mount = (host, appearance) => {
    const mounted = mountCompare(host, given(), { appearance });
    mounted.ready.then(
      (columns) => act?.(columns),
      () => undefined,
    ); // a scene may show an error
    return { dispose: () => mounted.dispose() };
  };
  return { name, program: "twice", size: "page", show: () => <Mounted mount={mount} /> };
};

/** In the colours of measurements, with their tab. */
const gauged =
  (paint: "values" | "costs", then: (columns: Columns) => unknown = () => undefined) =>
  (columns: Columns) => {
    columns.store.set({ tab: paint, paint });
    return then(columns);
  };

export const COMPARE_SCENES: readonly Scene[] = [
  scene(
    "compare: side by side",
    () => compared(core),
    (columns) => columns.step(1),
  ),
  scene(
    "compare: three columns",
    () => inColumns(core, same),
    (columns) => columns.step(1),
  ),
  scene(
    "compare: unchanged nodes hidden",
    () => compared(core),
    (columns) => columns.hideSame(true),
  ),
  scene(
    "compare: values",
    () => measured(core),
    gauged("values", (columns) => columns.step(1)),
  ),
  scene("compare: costs", () => measured(core), gauged("costs")),
  scene(
    "compare: text",
    () => compared(dropout),
    (columns) => columns.see("text"),
  ),
  scene("compare: no change", () => compared(same)),
  scene("compare: error", () => compared(dropout, { schema: 99 })),
];
