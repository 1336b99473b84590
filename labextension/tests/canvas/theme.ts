/** A light theme for draw lists. */
import type { Theme } from "../../src/canvas/theme";

export const theme: Theme = {
  isDark: false,
  ground: "#ffffff",
  panel: "#fafafa",
  line: "#e0e0e0",
  text: "#111111",
  dim: "#666666",
  box: "#ffffff",
  boxLine: "#aaaaaa",
  tint: "104,110,126",
  edge: "#999999",
  accent: "#1976d2",
  match: "#b35900",
  uiFont: "ui",
  codeFont: "code",
};
