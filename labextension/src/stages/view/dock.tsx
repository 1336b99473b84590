/** What opens below the strip: a frame with a title and a way to close it. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface DockProps {
  readonly title: ComponentChildren;
  readonly label: string;
  readonly isAlert?: boolean;
  readonly onClose?: () => void;
  readonly children?: ComponentChildren;
}

/** Where the focus goes when a dock opens: to what is asked for first. */
const FIRST = "form input:not(:disabled), form select:not(:disabled)";

export function Dock({ title, label, isAlert, onClose, children }: DockProps): JSX.Element {
  const place = useRef<HTMLElement>(null);
  useFocus(place, onClose !== undefined);
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

/** The focus comes in when a dock opens, and goes back to where it was when it closes. */
function useFocus(place: { readonly current: HTMLElement | null }, isWanted: boolean): void {
  useLayoutEffect(() => {
    const dock = place.current;
    if (!isWanted || !dock) return undefined;
    const root = dock.getRootNode() as Document | ShadowRoot;
    const before = root.activeElement;
    (dock.querySelector<HTMLElement>(FIRST) ?? dock).focus({ preventScroll: true });
    return () => {
      const isHere = dock.contains(root.activeElement) || root.activeElement === dock.ownerDocument.body;
      if (isHere && before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
}
