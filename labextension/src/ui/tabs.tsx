/** The tabs of a panel, and the content of the selected one. Arrow keys go from tab to tab. */
import type { ComponentChildren, JSX } from "preact";

interface TabsProps<T extends string> {
  /** What the tabs are for: "Details". */
  readonly label: string;
  /** In order, with their titles. */
  readonly titles: Readonly<Partial<Record<T, string>>>;
  readonly tab: T;
  readonly onTab: (tab: T) => void;
  /** The content of the tab. */
  readonly children: ComponentChildren;
}

export function Tabs<T extends string>({ label, titles, tab, onTab, children }: TabsProps<T>): JSX.Element {
  const all = Object.keys(titles) as T[];
  const move = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = all[(all.indexOf(tab) + by + all.length) % all.length];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onTab(next);
    const tabs = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]");
    tabs[all.indexOf(next)]?.focus();
  };
  return (
    <aside class="exirviz-panel-side" aria-label={label}>
      <div class="exirviz-tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {all.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            class={each === tab ? "exirviz-tab exirviz-tab-it" : "exirviz-tab"}
            aria-selected={each === tab}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => onTab(each)}
          >
            {titles[each]}
          </button>
        ))}
      </div>
      <div class="exirviz-tab-panel" role="tabpanel" aria-label={titles[tab]} key={tab}>
        {children}
      </div>
    </aside>
  );
}
