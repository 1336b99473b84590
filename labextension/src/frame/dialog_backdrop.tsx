/** The backdrop of a dialog for keys: above everything, and also closed by the key that opened it. */
import type { ComponentChildren, JSX } from "preact";

export function DialogBackdrop(props: { onClose: () => void; children: ComponentChildren }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the dialog inside
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
