/** A menu below its button: opens with the focus in it; a press elsewhere or Escape closes it. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface MenuState<T extends HTMLElement> {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  /** Closes the menu; the focus returns to the button. */
  readonly close: () => void;
  /** The element around the button and the menu. */
  readonly place: RefObject<T | null>;
  readonly button: RefObject<HTMLButtonElement | null>;
  /** Closes an open menu at Escape; whether it did. */
  readonly onEscape: (event: KeyboardEvent) => boolean;
}

/** `first`: a selector of what gets the focus. */
export function useMenu<T extends HTMLElement>(first: string): MenuState<T> {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<T>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return;
    place.current?.querySelector<HTMLElement>(first)?.focus();
    const { ownerDocument } = place.current ?? {};
    const elsewhere = (event: Event): void => {
      if (!(event.target instanceof Node && place.current?.contains(event.target))) setOpen(false);
    };
    ownerDocument?.addEventListener("pointerdown", elsewhere, true);
    return () => ownerDocument?.removeEventListener("pointerdown", elsewhere, true);
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onEscape = (event: KeyboardEvent): boolean => {
    if (event.key !== "Escape" || !isOpen) return false;
    event.stopPropagation();
    close();
    return true;
  };
  return { isOpen, toggle: () => setOpen(!isOpen), close, place, button, onEscape };
}
