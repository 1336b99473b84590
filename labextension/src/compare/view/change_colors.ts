/** The colour and the sign of each kind of change and of each measurement: for canvas, panel and legend. */
import { HEAT } from "../../overlay";
import { KINDS, type MatchKind, SIGNS } from "../model/schema";

interface Tinge {
  /** For outlines and badges, on either background; `textColorOn` is readable on it. */
  readonly color: string;
  /** For text, on a light and on a dark background. */
  readonly textColor: { readonly light: string; readonly dark: string };
}

/** Unchanged nodes have no colour. */
const LOOKS: Readonly<Record<Exclude<MatchKind, "same">, Tinge>> = {
  added: { color: "#009e73", textColor: { light: "#00734f", dark: "#3ccaa0" } },
  removed: { color: "#cc3366", textColor: { light: "#b3204f", dark: "#ff8aa9" } },
  changed: { color: "#b8860b", textColor: { light: "#7d5a00", dark: "#e3b341" } },
  rewritten: { color: "#0072b2", textColor: { light: "#00619a", dark: "#62b8ec" } },
  moved: { color: "#7a5cc0", textColor: { light: "#5f44a6", dark: "#b9a3f0" } },
};

/** The order in which counts are listed. */
export const CHANGE_KINDS = ["added", "removed", "changed", "rewritten", "moved"] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const isChange = (kind: MatchKind): kind is ChangeKind => kind !== "same";

export const colorOf = (kind: ChangeKind): string => LOOKS[kind].color;

/** For signs and text on the colour itself. */
export const textColorOn = (kind: ChangeKind): string =>
  kind === "added" || kind === "changed" ? "#141414" : "#ffffff";

export const textColorOf = (kind: ChangeKind, isDark: boolean): string =>
  LOOKS[kind].textColor[isDark ? "dark" : "light"];

export const signOf = (kind: MatchKind): string => SIGNS[KINDS.indexOf(kind)] ?? "";

const WARM = { color: HEAT, textColor: { light: "#a34700", dark: "#ff9d57" } } as const;

/** The colours of measurements: values that diverge, and what became slower or faster. */
export const MEASUREMENT_LOOKS = {
  apart: { ...WARM, sign: "≠" },
  slower: { ...WARM, sign: "▲" },
  faster: { color: "#0072b2", textColor: { light: "#00619a", dark: "#62b8ec" }, sign: "▼" },
} as const satisfies Readonly<Record<string, Tinge & { readonly sign: string }>>;

export type Measurement = keyof typeof MEASUREMENT_LOOKS;

export const measurementTextColor = (of: Measurement, isDark: boolean): string =>
  MEASUREMENT_LOOKS[of].textColor[isDark ? "dark" : "light"];

/** For marks that are shown under any colour mode; white is readable on it. */
export const MARK = "#b84f00";
