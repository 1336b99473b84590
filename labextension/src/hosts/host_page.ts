/**
 * What every mount shares with its page: theme, reduced motion, and a line of text in place of the picture.
 */
import { type Appearance, type Theme, themeOf } from "../canvas/theme";
import { pageSettings } from "./page_settings";
import { SETTINGS_ATTRIBUTE } from "./settings_attribute";

/** Milliseconds after the first picture before others are prepared. */
export const REST = 300;

/** The theme at an element, which is marked with it. `appearance` goes before the user's settings. */
export function themeAt(root: HTMLElement, appearance: Appearance = "auto"): Theme {
  const wanted = appearance === "auto" ? pageSettings(root.ownerDocument).theme : appearance;
  root.dataset["appearance"] = wanted;
  const theme = themeOf(root, wanted);
  root.classList.toggle("is-dark", theme.isDark);
  return theme;
}

/**
 * Resolves when the program has arrived and the element is in its page. A notebook fills an output before it
 * shows it; theme, fonts and size are unknown before. `stop` ends the wait for the page.
 */
export function inPage<T>(
  root: HTMLElement,
  coming: Promise<T>,
): { readonly there: Promise<T>; readonly stop: () => void } {
  if (root.isConnected) return { there: coming, stop: () => undefined };
  let resolve = (): void => undefined;
  const attached = new Promise<void>((done) => {
    resolve = done;
  });
  const observer = new MutationObserver(() => root.isConnected && stop());
  const stop = (): void => {
    observer.disconnect();
    resolve();
  };
  observer.observe(root.ownerDocument, { childList: true, subtree: true });
  return { there: Promise.all([coming, attached]).then(([come]) => come), stop };
}

/**
 * Follows the theme: the attribute of JupyterLab or marimo, the user's settings, or the system's preference. Returns a function
 * that stops it.
 */
export function followTheme(document: Document, change: () => void): () => void {
  const observer = new MutationObserver(change);
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "data-theme", "class", SETTINGS_ATTRIBUTE],
  });
  const dark = document.defaultView?.matchMedia?.("(prefers-color-scheme: dark)");
  dark?.addEventListener("change", change);
  return () => {
    observer.disconnect();
    dark?.removeEventListener("change", change);
  };
}

/** Whether the user prefers reduced motion now. */
export function calmOf(document: Document): () => boolean {
  const calm = document.defaultView?.matchMedia?.("(prefers-reduced-motion: reduce)");
  return () => calm?.matches ?? false;
}

/** Shows one line in place of everything. */
export function say(root: HTMLElement, name: string, text: string): void {
  const line = root.ownerDocument.createElement("p");
  line.className = name;
  line.setAttribute("role", "status");
  line.textContent = text;
  root.replaceChildren(line);
}
