/** A menu in the browser's top layer, made from commands: Escape or a press elsewhere closes it. */
import type { JSX } from "preact";
import { Fragment } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Entry, keyCaps } from "./commands";
import { visible } from "./text";

/** CSS pixels between a menu and the edge of the window. */
const EDGE = 6;

interface MenuProps {
  readonly label: string;
  /** Those of a group follow each other. */
  readonly entries: readonly Entry[];
  /** A point of the window: the menu's upper corner, as far as it fits. */
  readonly at: { readonly x: number; readonly y: number };
  readonly onClose: () => void;
}

export function Menu({ label, entries, at, onClose }: MenuProps): JSX.Element {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    element.showPopover();
    const { innerWidth, innerHeight } = window;
    element.style.left = `${Math.max(EDGE, Math.min(at.x, innerWidth - element.offsetWidth - EDGE))}px`;
    element.style.top = `${Math.max(EDGE, Math.min(at.y, innerHeight - element.offsetHeight - EDGE))}px`;
    rowsOf(element)[0]?.focus({ preventScroll: true });
    // The page moves away below it.
    const hide = ({ target }: Event): void => {
      if (target !== element) element.hidePopover();
    };
    document.addEventListener("scroll", hide, true);
    return () => document.removeEventListener("scroll", hide, true);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const rows = rowsOf(menu.current);
    const at = rows.indexOf(event.target as HTMLElement);
    const to: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % rows.length,
      ArrowUp: (at - 1 + rows.length) % rows.length,
      Home: 0,
      End: rows.length - 1,
    };
    const next = rows[to[event.key] ?? -1];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div
      ref={menu}
      popover="auto"
      class="exirviz-menu"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={onKeyDown}
      onToggle={({ newState }) => newState === "closed" && onClose()}
    >
      {entries.map(({ group, title, key, isOn, run }, i) => (
        <Fragment key={`${group} ${title}`}>
          {group !== entries[i - 1]?.group && <h5 role="presentation">{group}</h5>}
          <button
            type="button"
            {...(isOn === undefined
              ? { role: "menuitem" as const }
              : { role: "menuitemcheckbox" as const, "aria-checked": isOn })}
            tabIndex={-1}
            onClick={() => {
              // The focus goes back first: the action may move it.
              menu.current?.hidePopover();
              void run();
            }}
          >
            <span aria-hidden="true">{isOn ? "✓" : ""}</span>
            <span>{visible(title)}</span>
            <span aria-hidden="true">{key && keyCaps(key).join(" ")}</span>
          </button>
        </Fragment>
      ))}
    </div>
  );
}

const rowsOf = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>("button") ?? []),
];
