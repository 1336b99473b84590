/** The command palette: all that can be done in one list that typing filters. */
import type { JSX } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { BUILT_IN } from "../overlay";
import { reportsOf } from "../reports";
import { isReadable, modulesNamed } from "../search";
import { whyNot } from "../stages";
import { type Entry, entriesOf, keyCaps } from "../ui/commands";
import { Dialog } from "../ui/dialog";
import { visible } from "../ui/text";
import { COMMANDS, type Page } from "./commands";
import { usePart } from "./context";
import { chooseOffer, finalActions } from "./stages";

/** Every command, the next steps, stages, colours and bookmarks. */
function allEntries(page: Page): Entry[] {
  const { explorer, onDock = () => undefined } = page;
  const { stepping, state } = explorer;
  const offers = (stepping?.stages.record(state.stage)?.offers ?? []).map((offer) => ({
    title: offer.title,
    reason: whyNot(offer),
    run: () => stepping && chooseOffer(stepping, state.stage, offer, onDock),
  }));
  const finals = stepping ? finalActions(explorer, stepping, state.stage, onDock) : [];
  const stages = (stepping?.stages.tree.stages ?? []).filter(({ id }) => id !== state.stage);
  return [
    ...[...finals, ...offers].map(({ title, reason, run }) => ({
      group: "Next step",
      title,
      reason: reason || undefined,
      run,
    })),
    ...stages.map(({ id, name }) => ({ group: "Go to stage", title: name, run: () => stepping?.go(id) })),
    ...entriesOf(COMMANDS, page),
    ...(reportsOf(explorer.snapshot)?.list ?? []).map(({ name, title }) => ({
      group: "Report",
      title: `Open report: ${title}`,
      run: () => explorer.openReport(name),
    })),
    ...(explorer.hostAction ? [{ group: "Share", ...explorer.hostAction }] : []),
    ...BUILT_IN.map((name) => ({
      group: "Color",
      title: `Color by ${name}`,
      run: () => explorer.store.set({ overlay: { ...explorer.state.overlay, name } }),
    })),
    ...state.bookmarks.flatMap((bookmark) => [
      { group: "Bookmark", title: bookmark.title, run: () => explorer.show(bookmark.view) },
      {
        group: "Bookmark",
        title: `Remove bookmark ${bookmark.title}`,
        run: () =>
          explorer.store.set({ bookmarks: explorer.state.bookmarks.filter((each) => each !== bookmark) }),
      },
    ]),
  ];
}

const MOST_MODULES = 12;

/** What else a text may mean: the modules that it names, and a search for it. */
function meanings({ explorer }: Page, text: string): Entry[] {
  const { picture, snapshot } = explorer;
  const item = (scope: number): number | undefined => picture.firstModule(scope);
  const found = modulesNamed(snapshot, text, (scope) => item(scope) !== undefined);
  const modules = found.slice(0, MOST_MODULES).map((scope) => ({
    group: "Go to module",
    title: snapshot.scopes[scope]?.path ?? "",
    run: () => explorer.revealItem(item(scope) ?? -1),
  }));
  const search = { group: "Search", title: `Search for ${text}`, run: () => explorer.search.ask(text) };
  return isReadable(text) ? [...modules, search] : modules;
}

export function ExplorerPalette({ page }: { page: Page }): JSX.Element | null {
  const { explorer, view } = page;
  const isOpen = usePart((state) => state.isPaletteOpen);
  return isOpen ? (
    <Palette
      hint="Type a command or a module: lower, color, layers.5…"
      entries={() => allEntries(page)}
      meanings={(text) => meanings(page, text)}
      onClose={() => explorer.store.set({ isPaletteOpen: false })}
      onRun={() => view.canvas.focus()}
    />
  ) : null;
}

interface PaletteProps {
  readonly hint: string;
  readonly entries: () => readonly Entry[];
  /** What else a text means. */
  readonly meanings?: (text: string) => readonly Entry[];
  readonly onClose: () => void;
  /** Before an entry is run. */
  readonly onRun: () => void;
}

export function Palette({ hint, entries, meanings, onClose, onRun }: PaletteProps): JSX.Element {
  const [typed, type] = useState("");
  const id = useId();
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const all = useMemo(entries, []);
  const found = useMemo(() => {
    const text = typed.trim();
    return [...matching(all, typed), ...(text && meanings ? meanings(text) : [])];
  }, [all, typed]);
  const chosen = Math.min(at, found.length - 1);
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen, found]);
  const run = (entry: Entry | undefined): void => {
    if (!entry || entry.reason) return;
    list.current?.closest("dialog")?.close();
    onRun();
    void entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by) setAt((chosen + by + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Commands" class="exirviz-palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        autofocus
        aria-expanded="true"
        aria-controls={id}
        aria-label="Command"
        placeholder={hint}
        value={typed}
        onInput={(event) => {
          type(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} role="listbox" aria-label="Commands">
        {found.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keys
          <div
            key={`${entry.group} ${entry.title} ${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            aria-disabled={entry.reason !== undefined}
            title={entry.reason && visible(entry.reason)}
            onClick={() => run(entry)}
          >
            <span>
              {visible(entry.title)}
              {entry.isOn && " ✓"}
            </span>
            <span class="exirviz-dim">{entry.group}</span>
            {entry.key && <kbd>{keyCaps(entry.key).join(" ")}</kbd>}
          </div>
        ))}
        {found.length === 0 && <p class="exirviz-dim">No matching command</p>}
      </div>
    </Dialog>
  );
}

/**
 * Entries that contain every word: first those that begin with the text, then those in which each word begins one.
 * Among these, unavailable entries come last.
 */
function matching(entries: readonly Entry[], typed: string): Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ group, title }: Entry): number => {
    const text = `${title} ${group}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return -1;
    if (text.startsWith(words.join(" "))) return 2;
    return words.every((word) => text.startsWith(word) || text.includes(` ${word}`)) ? 1 : 0;
  };
  const ranked = entries.map((entry) => [entry, rank(entry)] as const).filter(([, at]) => at >= 0);
  return ranked
    .sort(([a, first], [b, second]) => second - first || Number(!!a.reason) - Number(!!b.reason))
    .map(([entry]) => entry);
}
