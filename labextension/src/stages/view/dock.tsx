/** What opens below the strip: a frame with a title and a way to close it. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface DockProps {
  readonly title: ComponentChildren;
  readonly label: string;
  readonly isAlert?: boolean;
  readonly onClose?: () => void;
  readonly children?: ComponentChildren;
}

export function Dock({ title, label, isAlert, onClose, children }: DockProps): JSX.Element {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (onClose) place.current?.focus({ preventScroll: true });
  }, []);
  const dock = (
    <section
      class={`exirviz-dock ${isAlert ? "is-failed" : ""}`}
      ref={place}
      tabIndex={-1}
      aria-label={label}
      role={isAlert ? "alert" : undefined}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !onClose) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header class="exirviz-dock-head">
        <h4>{title}</h4>
        {onClose && (
          <button
            type="button"
            class="exirviz-dock-close"
            aria-label="Close"
            title="Close (Esc)"
            onClick={onClose}
          >
            ×
          </button>
        )}
      </header>
      {children}
    </section>
  );
  // What was opened for a moment lies above the picture, which stays where it is.
  return onClose ? <div class="exirviz-dock-layer">{dock}</div> : dock;
}
