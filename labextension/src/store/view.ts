/** State ↔ ViewState: saves a view, and restores it in a picture that may lack some of it. */
import { type ColorRule, isColor } from "../overlay";
import type { Picture } from "../picture";
import type { Focus, OverlayChoice, State, Tab, ViewportState, ViewState } from "./state";

type Scale = OverlayChoice["scale"];

/** The top in `unrolled`. */
const TOP = "/";
const TABS: readonly Tab[] = ["node", "code", "cost", "reports"];
const SCALES: readonly Scale[] = ["linear", "log", "quantile"];
const DIRECTIONS = ["ancestors", "descendants", "both", "between"] as const;

export function writeView(state: State, viewport: ViewportState): ViewState {
  const { picture, focus } = state;
  const keys = (items: Iterable<number>): string[] =>
    [...items].map((item) => (item === picture.count ? TOP : picture.words.key(item))).sort();
  return {
    ...(state.stage && { stage: state.stage }),
    graph: picture.graph.path,
    folded: picture.isFolded,
    ...(picture.isByDelegate && { delegates: true }),
    open: keys(state.open),
    unrolled: keys(state.unrolled),
    selected: state.selected.map((item) => picture.words.key(item)),
    ...(focus && {
      focus: { direction: focus.direction, steps: Number.isFinite(focus.steps) ? focus.steps : "all" },
    }),
    ...(state.query && { query: state.query }),
    overlay: state.overlay.name,
    ...(state.overlay.scale !== "linear" && { scale: state.overlay.scale }),
    ...(state.rules.length > 0 && { rules: state.rules }),
    ...(state.isWeighted && { weighted: true }),
    ...(state.isTimelineOpen && { timeline: true }),
    tab: state.tab,
    ...(state.report && { report: state.report }),
    camera: viewport.target ?? viewport.camera,
  };
}

/** The items of keys; unknown keys are skipped. */
export function itemsOf(picture: Picture, keys: readonly string[]): number[] {
  return keys.flatMap((key) => (key === TOP ? [picture.count] : (picture.itemAt(key) ?? [])));
}

export function focusOf(view: ViewState): Focus | undefined {
  if (!view.focus) return undefined;
  const { direction, steps } = view.focus;
  return { direction, steps: steps === "all" ? Number.POSITIVE_INFINITY : steps };
}

/** `unknown` → ViewState; undefined if invalid. */
export function asView(raw: unknown): ViewState | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const record = raw as Record<string, unknown>;
  const { stage, graph, folded, open, unrolled, selected, focus, query, tab, report, camera } = record;
  const { overlay, scale, weighted, timeline, delegates, rules } = record;
  const at = camera as Record<string, unknown> | null | undefined;
  if (typeof graph !== "string" || !isTexts(open) || !isTexts(selected) || typeof at !== "object" || !at) {
    return undefined;
  }
  const { x, y, zoom } = at;
  if (!isNumber(x) || !isNumber(y) || !isNumber(zoom) || zoom <= 0) return undefined;
  const wanted = focus as { direction?: unknown; steps?: unknown } | undefined;
  const direction = DIRECTIONS.find((each) => each === wanted?.direction);
  const steps = wanted?.steps;
  return {
    ...(typeof stage === "string" && stage && { stage }),
    graph,
    folded: folded !== false,
    ...(delegates === true && { delegates }),
    open,
    unrolled: isTexts(unrolled) ? unrolled : [],
    selected,
    camera: { x, y, zoom },
    ...(direction && { focus: { direction, steps: isNumber(steps) ? steps : ("all" as const) } }),
    ...(typeof query === "string" && { query }),
    ...(typeof overlay === "string" && { overlay }),
    ...(SCALES.includes(scale as Scale) && { scale: scale as Scale }),
    ...(areRules(rules) && { rules }),
    ...(weighted === true && { weighted }),
    ...(timeline === true && { timeline }),
    ...(TABS.includes(tab as Tab) && { tab: tab as Tab }),
    ...(typeof report === "string" && report && { report }),
  };
}

/** A view as the end of a link: "#view=…". */
export const linkOf = (view: ViewState): string => `#view=${encodeURIComponent(JSON.stringify(view))}`;

export function viewOfLink(hash: string): ViewState | undefined {
  const text = /(?:^#|&)view=([^&]*)/.exec(hash)?.[1];
  if (!text) return undefined;
  try {
    return asView(JSON.parse(decodeURIComponent(text)));
  } catch {
    return undefined; // a shortened link is not a view
  }
}

const isRule = (x: unknown): x is ColorRule => {
  const { query, color } = (x ?? {}) as Record<string, unknown>;
  return typeof query === "string" && typeof color === "string" && isColor(color);
};
const areRules = (x: unknown): x is ColorRule[] => Array.isArray(x) && x.every(isRule);
const isNumber = (x: unknown): x is number => typeof x === "number" && Number.isFinite(x);
const isTexts = (x: unknown): x is string[] =>
  Array.isArray(x) && x.every((each) => typeof each === "string");
