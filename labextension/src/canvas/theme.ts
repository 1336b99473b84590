/**
 * Colours and fonts of the canvas, for light and dark. JupyterLab's CSS variables are used where they exist;
 * the rest depends on whether the background is dark. Kinds of ops have the same colours in both themes.
 */
import type { TextRole } from "../picture";

export interface Theme {
  readonly isDark: boolean;
  readonly ground: string;
  readonly panel: string;
  readonly line: string;
  readonly text: string;
  readonly dim: string;
  readonly box: string;
  readonly boxLine: string;
  /** "r,g,b" of the tint of modules. */
  readonly tint: string;
  readonly edge: string;
  readonly accent: string;
  readonly match: string;
  readonly uiFont: string;
  readonly codeFont: string;
}

const LIGHT: Theme = {
  isDark: false,
  ground: "#ffffff",
  panel: "#fafafa",
  line: "#e0e0e0",
  text: "#1f2328",
  dim: "#5f6670",
  box: "#ffffff",
  boxLine: "#a9b1ba",
  tint: "104,110,126",
  edge: "#98a1ab",
  accent: "#1976d2",
  match: "#b35900",
  uiFont: "system-ui, sans-serif",
  codeFont: "ui-monospace, 'DejaVu Sans Mono', monospace",
};

const DARK: Theme = {
  ...LIGHT,
  isDark: true,
  ground: "#111111",
  panel: "#181818",
  line: "#333333",
  text: "#e6e6e6",
  dim: "#9aa0a6",
  box: "#1e1e1e",
  boxLine: "#565d66",
  tint: "150,160,178",
  edge: "#6a727c",
  accent: "#64b5f6",
  match: "#ffb74d",
};

/** The themes for hosts without CSS variables. */
export const THEMES = { light: LIGHT, dark: DARK } as const;

export type Appearance = "light" | "dark" | "auto";

/** The theme of an element: that of JupyterLab or marimo if present, else what the system prefers. */
export function themeOf(element: HTMLElement, wanted: Appearance = "auto"): Theme {
  const style = getComputedStyle(element);
  const own = (name: string): string => style.getPropertyValue(name).trim();
  const base = isDark(element, wanted) ? DARK : LIGHT;
  const fonts = {
    uiFont: own("--exirviz-ui-font") || base.uiFont,
    codeFont: own("--exirviz-code-font") || base.codeFont,
  };
  const ground = wanted === "auto" ? own("--jp-layout-color0") : "";
  if (!ground) return { ...base, ...fonts };
  return { ...base, ...fonts, ground, accent: own("--jp-brand-color1") || base.accent };
}

function isDark(element: HTMLElement, wanted: Appearance): boolean {
  if (wanted !== "auto") return wanted === "dark";
  const lab = element.closest("[data-jp-theme-light]");
  if (lab) return lab.getAttribute("data-jp-theme-light") === "false";
  const ground = getComputedStyle(element).getPropertyValue("--jp-layout-color0").trim();
  if (ground) return luminance(ground) < 0.4;
  const named = element.ownerDocument.body?.getAttribute("data-theme"); // marimo's
  if (named === "dark" || named === "light") return named === "dark";
  const view = element.ownerDocument.defaultView;
  return view?.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false;
}

/** 0 black … 1 white, from "#rgb", "#rrggbb" or "rgb(…)"; white for any other text. */
function luminance(color: string): number {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color)?.[1];
  const wide = hex?.length === 3 ? hex.replace(/./g, "$&$&") : hex;
  const parts = wide
    ? [0, 2, 4].map((at) => Number.parseInt(wide.slice(at, at + 2), 16))
    : color.match(/\d+/g)?.slice(0, 3).map(Number);
  if (!parts || parts.length < 3) return 1;
  const [r = 0, g = 0, b = 0] = parts;
  return (0.299 * r + 0.587 * g + 0.114 * b) / 255;
}

/** Pixels at zoom 1. */
const SIZES: Readonly<Record<TextRole, number>> = {
  op: 12.5,
  name: 12.5,
  value: 11,
  module: 13,
  class: 12,
  badge: 11,
  chip: 11,
  label: 11,
};

export const fontSize = (role: TextRole): number => SIZES[role];

const WEIGHTS: Partial<Record<TextRole, string>> = { op: "600 ", name: "500 ", module: "600 " };

/** A CSS font, `scale` times its size at zoom 1. */
export function font(theme: Theme, role: TextRole, scale = 1): string {
  const isMono = role === "value" || role === "chip" || role === "label";
  return `${WEIGHTS[role] ?? ""}${SIZES[role] * scale}px ${isMono ? theme.codeFont : theme.uiFont}`;
}

/** One colour over another with opacity `part`: both "#rrggbb". */
export function mixed(over: string, under: string, part: number): string {
  const at = (color: string, i: number): number => Number.parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16);
  const channel = (i: number): string =>
    Math.round(at(over, i) * part + at(under, i) * (1 - part))
      .toString(16)
      .padStart(2, "0");
  return `#${channel(0)}${channel(1)}${channel(2)}`;
}
