/** A modal dialog in the browser's top layer, which keeps the focus in it and gives it back. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly label: string;
  readonly class: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ label, class: name, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key press, which is meant for the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`exirviz-dialog ${name}`}
      aria-label={label}
      onClose={onClose}
      // Only the backdrop is the dialog itself: its content fills it.
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {children}
    </dialog>
  );
}
