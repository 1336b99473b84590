/** The help: every key and the query language, from their tables. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { GRAMMAR, KEYS } from "../search";
import { Link } from "../ui/links";
import { GESTURES, type Group, keyCaps, SHORTCUTS, type Shortcut, TIMELINE_KEYS } from "../ui/shortcuts";

const GROUPS: readonly Group[] = ["Find", "View", "Modules", "Navigate", "Stages", "History", "Panels"];

export function Help({
  onClose,
  onSearch,
  isMac = false,
}: {
  onClose: () => void;
  onSearch?: (query: string) => void;
  isMac?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  // Before the next key press: keys belong to the help as soon as it is visible.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = box.current;
    dialog?.focus();
    return () => {
      // Do not take the focus from another element.
      const { activeElement } = document;
      const isHere = activeElement === document.body || dialog?.contains(activeElement);
      if (isHere && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <div
      class="exirviz-help"
      role="dialog"
      aria-modal="true"
      aria-label="Keyboard, mouse and search"
      ref={box}
      tabIndex={-1}
    >
      <header class="exirviz-help-head">
        <h2>Keyboard and mouse</h2>
        <button type="button" class="exirviz-panel-button" onClick={onClose}>
          Close
        </button>
      </header>
      <div class="exirviz-help-groups">
        {GROUPS.map((group) => (
          <section key={group}>
            <h4>{group}</h4>
            <KeyList rows={SHORTCUTS.filter((each) => each.group === group)} isMac={isMac} />
          </section>
        ))}
        <section aria-label="Timeline">
          <h4>Timeline</h4>
          <KeyList rows={TIMELINE_KEYS} isMac={isMac} />
        </section>
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
                {onSearch ? (
                  <Link onClick={() => onSearch(example)}>
                    <code>{example}</code>
                  </Link>
                ) : (
                  <code>{example}</code>
                )}
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

function KeyList({ rows, isMac }: { rows: readonly Pick<Shortcut, "keys" | "does">[]; isMac: boolean }) {
  return (
    <dl class="exirviz-keys">
      {rows.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {keys.map((key, i) => (
              <span key={key}>
                {i > 0 && <span class="exirviz-dim"> or </span>}
                {keyCaps(key, isMac).map((cap) => (
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
