/** What a dialog of keys stands on: above everything, and closed by the key that opened it, too. */
import type { ComponentChildren, JSX } from "preact";

export function DialogBackdrop(props: { onClose: () => void; children: ComponentChildren }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the dialog within
    <div
      class="exirviz-backdrop"
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape" || event.key === "?") props.onClose();
      }}
    >
      {props.children}
    </div>
  );
}

/** Whose keys are named. */
export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);
