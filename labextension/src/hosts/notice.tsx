/** One line at the foot of an explorer about what carries it; there, and silent, while there is nothing to say. */
import type { JSX } from "preact";

export function Notice({ text }: { readonly text: string }): JSX.Element {
  // The line stands before it has words: a screen reader tells what changes in it.
  return (
    <p class="exirviz-notice" role="status" hidden={!text}>
      {text}
    </p>
  );
}
