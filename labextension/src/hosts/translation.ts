/**
 * The language of what surrounds an explorer: pages of files, messages, notebooks. In JupyterLab it is the
 * user's; other hosts use `ENGLISH`. The explorer itself is in English.
 */

/** The part of JupyterLab's `TranslationBundle` that is used. */
export interface Translation {
  /** The user's text for an English one. %1, %2 … are replaced by the arguments. */
  __(text: string, ...args: readonly string[]): string;
}

export const ENGLISH: Translation = {
  __: (text, ...args) => text.replace(/%(\d)/g, (_, at: string) => args[Number(at) - 1] ?? ""),
};
