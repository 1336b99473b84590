/** The help: every key, the mouse and the query language, from their tables. */
import type { JSX } from "preact";
import { GRAMMAR, KEYS } from "../search";
import { type Command, GESTURES, type HelpRow, keyCaps, TIMELINE_KEYS } from "../ui/commands";
import { Dialog } from "../ui/dialog";
import { Link } from "../ui/links";
import { COMMANDS } from "./commands";
import { useExplorer, usePart } from "./context";

export function ExplorerHelp(): JSX.Element | null {
  const explorer = useExplorer();
  const isOpen = usePart((state) => state.isHelpOpen);
  const close = (): void => explorer.store.set({ isHelpOpen: false });
  const search = (query: string): void => {
    close();
    void explorer.search.ask(query);
  };
  return isOpen ? (
    <Help groups={[...groupsOf(COMMANDS), ["Timeline", TIMELINE_KEYS]]} onClose={close} onSearch={search} />
  ) : null;
}

type HelpGroup = readonly [title: string, rows: readonly HelpRow[]];

/** The commands that have a key, by group. */
export function groupsOf<T>(commands: readonly Command<T>[]): HelpGroup[] {
  const groups = new Map<string, HelpRow[]>();
  for (const { group, does, keys } of commands)
    if (keys) groups.set(group, [...(groups.get(group) ?? []), { keys, does }]);
  return [...groups];
}

interface HelpProps {
  readonly groups: readonly HelpGroup[];
  readonly onClose: () => void;
  readonly onSearch: (query: string) => void;
}

export function Help({ groups, onClose, onSearch }: HelpProps): JSX.Element {
  return (
    <Dialog label="Keys, mouse and search" class="exirviz-help" onClose={onClose}>
      <div>
        <header class="exirviz-help-head">
          <h2>Keys and mouse</h2>
          <button
            type="button"
            class="exirviz-panel-button"
            onClick={({ currentTarget }) => currentTarget.closest("dialog")?.close()}
          >
            Close
          </button>
        </header>
        <div class="exirviz-help-groups">
          {groups.map(([title, rows]) => (
            <section key={title} aria-label={title}>
              <h4>{title}</h4>
              <KeyList rows={rows} />
            </section>
          ))}
          <section>
            <h4>Mouse</h4>
            <dl class="exirviz-keys">
              {GESTURES.map(({ gesture, does }) => (
                <div key={gesture}>
                  <dt>{gesture}</dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
        <h2>Search</h2>
        <div class="exirviz-help-groups exirviz-help-search">
          <dl class="exirviz-keys">
            {GRAMMAR.map(({ form, meaning }) => (
              <div key={form}>
                <dt>
                  <code>{form}</code>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
          <dl class="exirviz-keys">
            {KEYS.map(({ key, example, meaning }) => (
              <div key={key}>
                <dt>
                  <Link onClick={() => onSearch(example)}>
                    <code>{example}</code>
                  </Link>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </div>
      </div>
    </Dialog>
  );
}

function KeyList({ rows }: { rows: readonly HelpRow[] }): JSX.Element {
  return (
    <dl class="exirviz-keys">
      {rows.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {keys.map((key, i) => (
              <span key={key}>
                {i > 0 && <span class="exirviz-dim"> or </span>}
                {keyCaps(key).map((cap) => (
                  <kbd key={cap}>{cap}</kbd>
                ))}
              </span>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
