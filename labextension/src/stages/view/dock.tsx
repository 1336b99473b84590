/** The frame of a form below the strip, with a title and a close button. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface DockProps {
  readonly title: ComponentChildren;
  readonly label: string;
  readonly isAlert?: boolean;
  readonly onClose?: () => void;
  readonly children?: ComponentChildren;
}

/** What gets the focus when a dock opens: the first field. */
const FIRST = "form input:not(:disabled), form select:not(:disabled)";

export function Dock({ title, label, isAlert, onClose, children }: DockProps): JSX.Element {
  const place = useRef<HTMLElement>(null);
  usePlace(place, onClose !== undefined);
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
  // A temporary form covers the picture, which stays in place.
  return onClose ? <div class="exirviz-dock-layer">{dock}</div> : dock;
}

/** A dock is below the button that opened it, if it fits; without a button at the left. */
function usePlace(place: { readonly current: HTMLElement | null }, isWanted: boolean): void {
  useLayoutEffect(() => {
    const dock = place.current;
    const layer = dock?.parentElement;
    if (!isWanted || !dock || !layer) return undefined;
    const opener = (dock.getRootNode() as Document | ShadowRoot).activeElement;
    if (!opener?.closest(".exirviz-bar")) return undefined;
    const move = (): void => {
      dock.style.marginLeft = "0";
      const room = layer.clientWidth - dock.offsetWidth;
      const wanted = opener.getBoundingClientRect().left - layer.getBoundingClientRect().left;
      dock.style.marginLeft = `${Math.max(0, Math.min(room, wanted))}px`;
    };
    move();
    const resize = new ResizeObserver(move);
    resize.observe(dock);
    resize.observe(layer);
    return () => resize.disconnect();
  }, []);
}

/** Moves the focus in when a dock opens, and back when it closes. */
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
