declare module "program:*" {
  const bytes: Uint8Array;
  export default bytes;
}

declare module "diff:*" {
  /** The output of `python -m tests.corpus NAME.diff`; null if the corpus lacks it. */
  const parts: {
    /** Base64 of the two programs. */
    readonly sides: readonly [string, string];
    readonly comparison: unknown;
    readonly text: unknown;
  } | null;
  export default parts;
}
