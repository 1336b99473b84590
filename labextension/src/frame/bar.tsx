/** The one bar: what is shown at its left, and at its right the search, the colours and the menu. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Series } from "../overlay";
import { type Entry, entriesOf } from "../ui/commands";
import { Menu } from "../ui/menu";
import { plural, visible } from "../ui/text";
import { ColorChoice } from "./color_choice";
import { COMMANDS, type Page, titled } from "./commands";
import { useExplorer, usePart } from "./context";
import { Search } from "./search";

interface BarProps {
  readonly title: string;
  /** The stages, which say more than the title does. */
  readonly strip?: JSX.Element;
  readonly page: Page;
  readonly series: readonly Series[];
}

export function Bar({ title, strip, page, series }: BarProps): JSX.Element {
  const { explorer } = page;
  const isPanelOpen = usePart((state) => state.isPanelOpen);
  return (
    <header class={strip ? "exirviz-bar has-stages" : "exirviz-bar"}>
      {strip ?? (
        <span class="exirviz-program" title={title}>
          {title}
        </span>
      )}
      <Methods hasStages={strip !== undefined} />
      <div class="exirviz-tools" role="toolbar" aria-label="Graph tools">
        <Search />
        <ColorChoice series={series} />
        <button
          type="button"
          class="exirviz-button"
          title={titled("Fit graph to view", "fit")}
          onClick={() => explorer.fit()}
        >
          Fit
        </button>
        <More entries={() => menuOf(page)} />
        {!isPanelOpen && <ShowInspector onShow={() => explorer.store.set({ isPanelOpen: true })} />}
      </div>
    </header>
  );
}

/** The methods of a file, or of a stage that has several; one alone is only named. */
function Methods({ hasStages }: { hasStages: boolean }): JSX.Element | null {
  const explorer = useExplorer();
  const graph = usePart((state) => state.picture.graph);
  const boxes = usePart((state) => state.picture.words.opsOf(state.picture.count));
  const { snapshot } = explorer;
  const { methods } = snapshot;
  const isOne = methods.length === 1;
  if (isOne && hasStages) return null;
  const shown = snapshot.methodOf(graph.number);
  // Of all methods together: beside one of several it would mislead.
  const delegation = isOne ? snapshot.skeleton.page?.delegation : undefined;
  // The share is of these ops; a box may contain several, such as one that writes a result back.
  const ops = typeof delegation?.percent === "number" ? delegation.ops : boxes;
  const share = delegation?.share ? ` · ${visible(delegation.share)}` : "";
  return (
    <>
      {methods.map(({ name, dialect, graph: number }, i) => {
        const text = `${dialect}${i === shown ? ` · ${plural(ops, "op")}${share}` : ""}`;
        if (isOne)
          return (
            <span key={name} class="exirviz-method" title={`${name} ${text}`}>
              <b>{name}</b> {text}
            </span>
          );
        return (
          <button
            type="button"
            key={name}
            class={`exirviz-pill ${i === shown ? "is-on" : ""}`}
            aria-pressed={i === shown}
            onClick={() => i !== shown && void explorer.showGraph(snapshot.graph(number))}
          >
            <b>{name}</b> {text}
          </button>
        );
      })}
    </>
  );
}

/** Commands, what the host offers, and the way back to bookmarks. */
function menuOf(page: Page): Entry[] {
  const { explorer } = page;
  return [
    ...entriesOf(COMMANDS, page, ({ place }) => place === "menu"),
    ...(explorer.hostAction ? [{ group: "Page", ...explorer.hostAction }] : []),
    ...explorer.state.bookmarks.map(({ title, view }) => ({
      group: "Bookmarks",
      title,
      run: () => explorer.show(view),
    })),
  ];
}

/** The button of the menu; its rows are made when it opens. */
export function More({ entries }: { entries: () => readonly Entry[] }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<{ x: number; y: number }>();
  return (
    <>
      <button
        type="button"
        ref={button}
        class="exirviz-button"
        title="More"
        aria-label="More"
        aria-haspopup="menu"
        aria-expanded={at !== undefined}
        onClick={() => {
          const box = button.current?.getBoundingClientRect();
          setAt({ x: box?.left ?? 0, y: (box?.bottom ?? 0) + 4 });
        }}
      >
        ⋯
      </button>
      {at && <Menu label="More" entries={entries()} at={at} onClose={() => setAt(undefined)} />}
    </>
  );
}

export const ShowInspector = ({ onShow }: { onShow: () => void }): JSX.Element => (
  <button
    type="button"
    class="exirviz-button"
    title={titled("Show inspector", "panel")}
    aria-label="Inspector"
    onClick={onShow}
  >
    ◨
  </button>
);
