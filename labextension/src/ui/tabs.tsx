/** The tabs of a panel, and the content of the selected one. Arrow keys go from tab to tab. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface TabsProps<T extends string> {
  /** What the tabs are for: "Details". */
  readonly label: string;
  /** In order, with their titles. */
  readonly titles: Readonly<Partial<Record<T, string>>>;
  readonly tab: T;
  /** A number beside a title; none for 0. */
  readonly badges?: Readonly<Partial<Record<T, number>>>;
  readonly onTab: (tab: T) => void;
  /** What the tab shows: other content begins at its top, however far the last was scrolled. */
  readonly of?: string;
  /** The content of the tab. */
  readonly children: ComponentChildren;
}

export function Tabs<T extends string>(props: TabsProps<T>): JSX.Element {
  const { label, titles, tab, badges, onTab, of = "", children } = props;
  const all = Object.keys(titles) as T[];
  const row = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  // A control that leads to another tab goes with its own one, and the focus with it.
  const hadFocus = panel.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body)
      row.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  }, [tab]);
  const move = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = all[(all.indexOf(tab) + by + all.length) % all.length];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onTab(next);
    // When it is in the row.
    requestAnimationFrame(() =>
      row.current?.querySelectorAll<HTMLElement>("[role=tab]")[all.indexOf(next)]?.focus(),
    );
  };
  return (
    <aside class="exirviz-panel-side" aria-label={label}>
      <div class="exirviz-tabs" ref={row}>
        <div class="exirviz-tab-list" role="tablist" aria-label={label} onKeyDown={move}>
          {all.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              class={`exirviz-tab ${each === tab ? "exirviz-tab-it" : ""}`}
              aria-selected={each === tab}
              tabIndex={each === tab ? 0 : -1}
              onClick={() => onTab(each)}
            >
              {titles[each]}
              {badges?.[each] ? <span class="exirviz-tab-count">{badges[each]}</span> : null}
            </button>
          ))}
        </div>
      </div>
      <div
        class="exirviz-tab-panel"
        role="tabpanel"
        aria-label={titles[tab]}
        key={`${tab} ${of}`}
        ref={panel}
      >
        {children}
      </div>
    </aside>
  );
}
