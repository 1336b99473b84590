/**
 * A saved page: named parts, whose names Python defines (`exir_viz/pages/page_data.py`). A program is in
 * `exirviz-program`, a `.exirviz` file. Several stages are in `exirviz-stage-0` and so on; `exirviz-stages`
 * is the JSON of their tree, their lineages and the stages to compare first; and the comparison of two is in
 * `exirviz-diff-0-1`, `exirviz-diff-0-1-text` and `exirviz-diff-0-1-measured`. Side-by-side programs are in
 * `exirviz-column-0` and so on, with a comparison of each and the next.
 */
import type { Compared, Found } from "../compare/model/compared_programs";
import { type Explorer, showProfile } from "../explorer";
import { isSelected, selectNodes } from "../explorer/select_nodes";
import { asProfile, type ProfileRecord } from "../profile";
import { readFile } from "../snapshot";
import { sections, unpack } from "../snapshot/container";
import {
  asTree,
  SAVED_PARTS,
  type SavedPart,
  SavedStageSource,
  type SavedStages,
  savedComparing,
} from "../stages";
import { asView, type ViewState } from "../store";
import { type MountedComparison, mountCompare } from "./compare";
import { type ExplorerOptions, type Mounted, mountExplorer } from "./explorer";
import { problemOf } from "./incoming";
import type { Order, SeriesHead } from "./messages";
import { execute } from "./orders";
import { seriesOf } from "./series";
import type { Source } from "./source";

/** The bytes of a part, usable once: its megabytes are not needed again. Undefined if there is none. */
type TakePart = (name: string) => Uint8Array | undefined;

const NO_KERNEL =
  "This page has no kernel. In a notebook, run exir_viz.diff(a, b).values(); its to_html saves a page with values.";

export function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64.replace(/\s+/g, ""));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Profiles with their stages, as `Costs.take` has them; a program without stages is the stage "". */
async function profiles(take: TakePart): Promise<[string, ProfileRecord][]> {
  const saved = take("exirviz-profiles");
  const pairs = saved ? ((await unpack(saved)) as [string, unknown][]) : [];
  return pairs.map(([stage, record]) => [stage, asProfile(record)]);
}

/**
 * What it begins with, as it was where it was written: the view, what Python asked for after that (orders, a selection,
 * a painting to show), and the paintings.
 */
export interface Look {
  readonly view?: ViewState | undefined;
  readonly orders: readonly Order[];
  readonly selection: readonly string[];
  readonly show?: string | undefined;
  readonly heads: readonly SeriesHead[];
  readonly data: readonly DataView[];
}

async function look(take: TakePart): Promise<Look> {
  const saved = take("exirviz-look");
  if (!saved) return { orders: [], selection: [], heads: [], data: [] };
  const { view, series, data, orders, selection, show } = (await unpack(saved)) as Record<string, unknown>;
  const packed = Array.isArray(data) ? data.map((each) => bytesOf(String(each))) : [];
  const problem = problemOf({ kind: "series", series, show: null });
  const heads = problem ? [] : (series as readonly SeriesHead[]);
  return {
    view: asView(view),
    orders: ordersOf(orders),
    selection: Array.isArray(selection) ? selection.map(String) : [],
    ...(typeof show === "string" && { show }),
    heads,
    data: packed.map((bytes) => new DataView(bytes.buffer)),
  };
}

/** The valid orders among what was saved. */
export const ordersOf = (saved: unknown): readonly Order[] =>
  Array.isArray(saved) ? saved.filter((each): each is Order => problemOf(each) === undefined) : [];

/** Shows the view, then runs the orders that came after it. */
export async function showLook(explorer: Explorer, { view, orders, selection, show }: Look): Promise<void> {
  if (view) await explorer.show(view);
  for (const order of orders) await execute(explorer, order);
  const nodes = selection.map((id) => explorer.snapshot.find(id)).filter((node) => node !== undefined);
  if (nodes.length && !isSelected(explorer, nodes)) await selectNodes(explorer, nodes);
  if (show !== undefined) explorer.store.set({ overlay: { ...explorer.state.overlay, name: show } });
}

function source(take: TakePart): Source {
  const stages = take("exirviz-stages");
  if (!stages) return { file: take("exirviz-program") ?? new Uint8Array() };
  const saved = JSON.parse(new TextDecoder().decode(stages)) as SavedStages;
  const numbers = new Map(asTree(saved.tree).stages.map(({ id }, number) => [id, number]));
  const stage = (id: string) => {
    const file = take(`exirviz-stage-${numbers.get(id)}`);
    return file && sections(file);
  };
  const comparing = savedComparing(saved, (a, b, what) =>
    take(betweenId(numbers.get(a) ?? -1, numbers.get(b) ?? -1, what)),
  );
  return { stages: new SavedStageSource(saved, stage, comparing) };
}

const betweenId = (a: number, b: number, what: SavedPart): string =>
  `exirviz-diff-${a}-${b}${what === "diff" ? "" : `-${what}`}`;

/** The side-by-side programs of the page, if it has any. */
function compared(take: TakePart): Promise<Compared> | undefined {
  const columns: Uint8Array[] = [];
  for (let file = take("exirviz-column-0"); file; file = take(`exirviz-column-${columns.length}`))
    columns.push(file);
  if (columns.length < 2) return undefined;
  const between = columns.slice(1).map((_, at) => found(take, at));
  const reading = Promise.all([Promise.all(columns.map(readFile)), Promise.all(between)]);
  return reading.then(([snapshots, all]) => ({ snapshots, between: all }));
}

/** The comparison of a column with the next. */
async function found(take: TakePart, at: number): Promise<Found> {
  const [diff, text, measured] = SAVED_PARTS.map((what) => take(betweenId(at, at + 1, what)));
  return {
    comparison: await unpack(diff ?? new Uint8Array()),
    text: () => unpack(text ?? new Uint8Array()),
    measured: { known: async () => (measured ? unpack(measured) : {}), values: NO_KERNEL },
  };
}

/** Mounts the side-by-side programs, if that is what was saved. */
export function mountSavedComparison(host: HTMLElement, take: TakePart): MountedComparison | undefined {
  const comparison = compared(take);
  return comparison && mountCompare(host, comparison, { takesWheel: true });
}

/** Mounts the saved program or stages with the saved view, unless `options` has another. */
export function mountSavedExplorer(
  host: HTMLElement,
  take: TakePart,
  options: ExplorerOptions,
): Mounted & { readonly begun: Promise<Explorer> } {
  const mounted = mountExplorer(host, source(take), options);
  const begun = mounted.ready.then(async (explorer) => {
    explorer.costs.take(await profiles(take));
    const saved = await look(take);
    const series = seriesOf(saved.heads, saved.data, explorer.snapshot);
    mounted.paint(series);
    if (options.view) return explorer;
    if (!saved.view && !explorer.costs.isEmpty)
      void showProfile(explorer, explorer.stepping?.shownId() ?? "");
    void showLook(explorer, saved);
    return explorer;
  });
  begun.catch(() => undefined); // the page shows it already
  return { ...mounted, begun };
}
