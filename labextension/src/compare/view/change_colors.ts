/** The colour and the sign of each kind of change, and of what was measured, once: for canvas, panel and legend. */
import { HEAT } from "../../overlay";
import { KINDS, type MatchKind, SIGNS } from "../model/schema";

interface Tinge {
  /** Of outlines and badges, on either ground; `inkOn` is read on it. */
  readonly color: string;
  /** Of text, on a light ground and on a dark one. */
  readonly ink: { readonly light: string; readonly dark: string };
}

/** What is the same has none: it is quiet. */
const LOOKS: Readonly<Record<Exclude<MatchKind, "same">, Tinge>> = {
  added: { color: "#009e73", ink: { light: "#00734f", dark: "#3ccaa0" } },
  removed: { color: "#cc3366", ink: { light: "#b3204f", dark: "#ff8aa9" } },
  changed: { color: "#b8860b", ink: { light: "#7d5a00", dark: "#e3b341" } },
  rewritten: { color: "#0072b2", ink: { light: "#00619a", dark: "#62b8ec" } },
  moved: { color: "#7a5cc0", ink: { light: "#5f44a6", dark: "#b9a3f0" } },
};

/** In the order in which counts are said. */
export const CHANGE_KINDS = ["added", "removed", "changed", "rewritten", "moved"] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const isChange = (kind: MatchKind): kind is ChangeKind => kind !== "same";

export const colorOf = (kind: ChangeKind): string => LOOKS[kind].color;

/** Of signs and text on the colour itself. */
export const inkOn = (kind: ChangeKind): string =>
  kind === "added" || kind === "changed" ? "#141414" : "#ffffff";

export const inkOf = (kind: ChangeKind, isDark: boolean): string =>
  LOOKS[kind].ink[isDark ? "dark" : "light"];

export const signOf = (kind: MatchKind): string => SIGNS[KINDS.indexOf(kind)] ?? "";

const WARM = { color: HEAT, ink: { light: "#a34700", dark: "#ff9d57" } } as const;

/** What was measured: numbers that part, and what a change cost or gained. */
export const GAUGED = {
  apart: { ...WARM, sign: "≠" },
  slower: { ...WARM, sign: "▲" },
  faster: { color: "#0072b2", ink: { light: "#00619a", dark: "#62b8ec" }, sign: "▼" },
} as const satisfies Readonly<Record<string, Tinge & { readonly sign: string }>>;

export type Gauged = keyof typeof GAUGED;

export const gaugedInk = (of: Gauged, isDark: boolean): string => GAUGED[of].ink[isDark ? "dark" : "light"];

/** Around what is told whatever the colours are; white is read on it. */
export const MARK = "#b84f00";
