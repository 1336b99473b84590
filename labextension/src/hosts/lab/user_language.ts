import { type ITranslator, nullTranslator, type TranslationBundle } from "@jupyterlab/translation";

/** Our texts in the language of JupyterLab's user. */
export const translationOf = (translator: ITranslator | null): TranslationBundle =>
  (translator ?? nullTranslator).load("exir_viz");
