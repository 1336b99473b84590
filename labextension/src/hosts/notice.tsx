/** One line at the bottom of an explorer about its host; present but empty if there is nothing to report. */
import type { JSX } from "preact";

export function Notice({ text }: { readonly text: string }): JSX.Element {
  // The element exists before its text: screen readers announce changes in it.
  return (
    <p class="exirviz-notice" role="status" hidden={!text}>
      {text}
    </p>
  );
}
