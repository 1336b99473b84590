/**
 * The command palette: every command, the next steps, stages, colours and bookmarks in one list that typing
 * filters. The text can also be used as a search.
 */
import type { JSX } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CanvasView } from "../canvas/view";
import type { Explorer } from "../explorer";
import { BUILT_IN } from "../overlay";
import { isReadable, modulesNamed } from "../search";
import { whyNot } from "../stages";
import { isMac, keyCaps, SHORTCUTS } from "../ui/shortcuts";
import { visible } from "../ui/text";
import { useExplorer, usePart } from "./context";
import { DialogBackdrop } from "./dialog_backdrop";
import { perform } from "./keys";
import { selectionActions } from "./selection_actions";
import { chooseOffer, finalActions, type SetDock } from "./stages";

interface Entry {
  readonly group: string;
  readonly title: string;
  /** As written in the table of shortcuts. */
  readonly key?: string | undefined;
  /** Why it is unavailable. */
  readonly reason?: string | undefined;
  readonly run: () => unknown;
}

/** Commands that only work as keys: they act on a list, or are the palette itself. */
const KEYS_ONLY = new Set(["close", "palette", "move-up", "move-down", "move-left", "move-right"]);

function entriesOf(explorer: Explorer, view: CanvasView, onDock: SetDock): Entry[] {
  const { stepping, state } = explorer;
  const record = stepping?.stages.record(state.stage);
  const steps = (record?.offers ?? []).map((offer) => ({
    group: "Next step",
    title: offer.title,
    reason: whyNot(offer) || undefined,
    run: () => stepping && chooseOffer(stepping, state.stage, offer, onDock),
  }));
  const finals = stepping ? finalActions(explorer, stepping, state.stage, onDock) : [];
  const stages = (stepping?.stages.tree.stages ?? []).filter(({ id }) => id !== state.stage);
  return [
    ...finals.map(({ title, reason, run }) => ({
      group: "Next step",
      title,
      reason: reason || undefined,
      run,
    })),
    ...steps,
    ...stages.map(({ id, name }) => ({
      group: "Go to stage",
      title: name,
      run: () => stepping?.go(id),
    })),
    // Actions with a key are listed with the keys.
    ...selectionActions(explorer)
      .filter(({ command }) => !command)
      .map(({ title, run }) => ({ group: "Selection", title, run })),
    ...SHORTCUTS.filter(({ command }) => !KEYS_ONLY.has(command)).map(({ command, group, does, keys }) => ({
      group,
      title: does,
      key: keys[0],
      run: () => perform(explorer, view, command),
    })),
    ...(explorer.hostAction ? [{ group: "Page", ...explorer.hostAction }] : []),
    ...BUILT_IN.map((name) => ({
      group: "Color",
      title: `Color by ${name}`,
      run: () => explorer.store.set({ overlay: { ...explorer.state.overlay, name } }),
    })),
    ...state.bookmarks.map(({ title, view: saved }) => ({
      group: "Bookmark",
      title,
      run: () => explorer.show(saved),
    })),
  ];
}

const MOST_MODULES = 12;

/** The modules that a text names: going to one opens what is around it. */
function modulesOf(explorer: Explorer, text: string): Entry[] {
  const { picture, snapshot } = explorer;
  const item = (scope: number): number | undefined => picture.firstModule(scope);
  const found = modulesNamed(snapshot, text, (scope) => item(scope) !== undefined);
  return found.slice(0, MOST_MODULES).map((scope) => ({
    group: "Go to module",
    title: snapshot.scopes[scope]?.path ?? "",
    run: () => explorer.revealItem(item(scope) ?? -1),
  }));
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

interface PaletteProps {
  readonly view: CanvasView;
  readonly onDock: SetDock;
}

export function PaletteLayer(props: PaletteProps): JSX.Element | null {
  const explorer = useExplorer();
  const isOpen = usePart((state) => state.isPaletteOpen);
  const close = (): void => explorer.store.set({ isPaletteOpen: false });
  return isOpen ? (
    <DialogBackdrop onClose={close}>
      <Palette {...props} onClose={close} />
    </DialogBackdrop>
  ) : null;
}

function Palette({ view, onDock, onClose }: PaletteProps & { onClose: () => void }): JSX.Element {
  const explorer = useExplorer();
  const [typed, type] = useState("");
  const id = useId();
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const all = useMemo(() => entriesOf(explorer, view, onDock), [explorer, view]);
  const found = useMemo(() => {
    const entries = matching(all, typed);
    const query = typed.trim();
    if (!query) return entries;
    const modules = modulesOf(explorer, query);
    if (!isReadable(query)) return [...entries, ...modules];
    return [
      ...entries,
      ...modules,
      { group: "Search", title: `Search for ${query}`, run: () => explorer.search.ask(query) },
    ];
  }, [all, typed]);
  const chosen = Math.min(at, found.length - 1);
  useLayoutEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen, found]);
  const run = (entry: Entry | undefined): void => {
    if (!entry || entry.reason) return;
    onClose();
    view.canvas.focus();
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
    <div class="exirviz-palette" role="dialog" aria-modal="true" aria-label="Commands">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-label="Command"
        placeholder="Type a command or a module: lower, color, layers.5…"
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
            <span>{visible(entry.title)}</span>
            <span class="exirviz-dim">{entry.group}</span>
            {entry.key && <kbd>{keyCaps(entry.key, isMac()).join(" ")}</kbd>}
          </div>
        ))}
        {found.length === 0 && <p class="exirviz-dim">No matching command</p>}
      </div>
    </div>
  );
}
