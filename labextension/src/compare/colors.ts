/** The colour and the words of each kind of change, once: for the canvas, the panel, the legend. */
import { KINDS, type MatchKind, SIGNS } from "./schema";

interface KindLook {
  /** Of outlines and badges, on either ground; white is read on it. */
  readonly color: string;
  /** Of text, on a light ground and on a dark one. */
  readonly ink: { readonly light: string; readonly dark: string };
}

/** What is the same has none: it is quiet. */
const LOOKS: Readonly<Record<Exclude<MatchKind, "same">, KindLook>> = {
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

export const inkOf = (kind: ChangeKind, isDark: boolean): string =>
  LOOKS[kind].ink[isDark ? "dark" : "light"];

export const signOf = (kind: MatchKind): string => SIGNS[KINDS.indexOf(kind)] ?? "";
