/**
 * The user's settings for all explorers of a page. JupyterLab's extension writes them, explorers in documents and in
 * cells read them: these are several scripts, what they share is the page.
 */
import type { Appearance } from "../canvas/theme";
import type { ByteUnit } from "../snapshot/format";
import { SETTINGS_ATTRIBUTE } from "./settings_attribute";

interface PageSettings {
  readonly theme: Appearance;
  /** The depth down to which modules are open at first; undefined: as many as fit. */
  readonly depth?: number;
  /** Whether parameters and memory are chips on the ops that use them. */
  readonly foldsParameters: boolean;
  /** How 1,024 bytes are written. */
  readonly byteUnit: ByteUnit;
}

const DEFAULTS: PageSettings = { theme: "auto", foldsParameters: true, byteUnit: "KB" };

/** Settings from whatever was given: what is wrong or missing has its default. */
export function settingsFrom(given: unknown): PageSettings {
  const { theme, depth, foldParameters, units } = (given ?? {}) as Record<string, unknown>;
  return {
    theme: theme === "light" || theme === "dark" ? theme : DEFAULTS.theme,
    ...(typeof depth === "number" && depth >= 0 && { depth }),
    foldsParameters: typeof foldParameters === "boolean" ? foldParameters : DEFAULTS.foldsParameters,
    byteUnit: units === "KiB" ? units : DEFAULTS.byteUnit,
  };
}

export function pageSettings({ body }: Document): PageSettings {
  try {
    return settingsFrom(JSON.parse(body.getAttribute(SETTINGS_ATTRIBUTE) ?? "{}"));
  } catch (problem) {
    if (problem instanceof SyntaxError) return DEFAULTS; // another script wrote it
    throw problem;
  }
}
