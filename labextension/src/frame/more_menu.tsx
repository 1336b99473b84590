/**
 * The menu for what does not fit into the toolbar: edge width, minimap, bookmarks, link, images, full screen.
 */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useMenu } from "../ui/menu";
import { keyHint } from "../ui/shortcuts";
import { visible } from "../ui/text";
import { useExplorer, usePart } from "./context";
import { copyLink, fullScreen, type Image } from "./export";

const SCALES = [1, 2, 4] as const;

/** `children`: tools that do not fit into the toolbar. */
export function More({
  onSave,
  children,
}: {
  onSave: (image: Image) => void;
  children?: ComponentChildren;
}): JSX.Element {
  const menu = useMenu<HTMLSpanElement>(".exirviz-menu input, .exirviz-menu button");
  const count = usePart((state) => state.bookmarks.length);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles Escape from inside
    <span class="exirviz-more" ref={menu.place} onKeyDown={menu.onEscape}>
      <button
        type="button"
        ref={menu.button}
        title="More: edges, minimap, bookmarks, export, full screen"
        aria-label="More"
        aria-haspopup="dialog"
        aria-expanded={menu.isOpen}
        onClick={menu.toggle}
      >
        {count ? `⋯ ☆ ${count}` : "⋯"}
      </button>
      {menu.isOpen && (
        <Menu onSave={onSave} onDone={menu.close}>
          {children}
        </Menu>
      )}
    </span>
  );
}

interface MenuProps {
  readonly onSave: (image: Image) => void;
  readonly onDone: () => void;
  readonly children: ComponentChildren;
}

function Menu({ onSave, onDone, children }: MenuProps): JSX.Element {
  const explorer = useExplorer();
  const isWeighted = usePart((state) => state.isWeighted);
  const isMapShown = usePart((state) => state.isMapShown);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => keepInside(menu.current), []);
  return (
    <div class="exirviz-menu" role="dialog" aria-label="More" ref={menu}>
      {children}
      <Part title="View">
        <label>
          <input
            type="checkbox"
            checked={isWeighted}
            onChange={(event) => explorer.store.set({ isWeighted: event.currentTarget.checked })}
          />
          Edge width by tensor size
        </label>
        <label title={keyHint("minimap")}>
          <input
            type="checkbox"
            checked={isMapShown}
            onChange={(event) => explorer.store.set({ isMapShown: event.currentTarget.checked })}
          />
          Minimap when zoomed in
        </label>
      </Part>
      <Bookmarks onDone={onDone} />
      <Save onSave={onSave} onDone={onDone} />
      <Part title="Page">
        {explorer.hostAction && (
          <button
            type="button"
            onClick={() => {
              onDone();
              explorer.hostAction?.run();
            }}
          >
            {explorer.hostAction.title}
          </button>
        )}
        <button
          type="button"
          title={keyHint("link")}
          onClick={({ currentTarget }) => {
            void copyLink(explorer, currentTarget.ownerDocument);
            onDone();
          }}
        >
          Copy link to this view
        </button>
        <button
          type="button"
          title={keyHint("full-screen")}
          onClick={({ currentTarget }) => {
            void fullScreen(currentTarget.closest(".exirviz-explorer"));
            onDone();
          }}
        >
          Full screen
        </button>
      </Part>
    </div>
  );
}

/** Moves a menu below a button so that it stays inside the explorer. */
function keepInside(menu: HTMLElement | null): void {
  const room = menu?.closest(".exirviz-frame")?.getBoundingClientRect();
  if (!menu || !room) return;
  const { left, right } = menu.getBoundingClientRect();
  const by = Math.max(room.left + EDGE - left, Math.min(0, room.right - EDGE - right));
  if (by) menu.style.translate = `${by}px`;
}

/** CSS pixels between a menu and the edge of the explorer. */
const EDGE = 6;

export const Part = ({ title, children }: { title: string; children: ComponentChildren }): JSX.Element => (
  <section aria-label={title}>
    <h5>{title}</h5>
    <div>{children}</div>
  </section>
);

function Bookmarks({ onDone }: { onDone: () => void }): JSX.Element {
  const explorer = useExplorer();
  const bookmarks = usePart((state) => state.bookmarks);
  return (
    <Part title="Bookmarks">
      <button type="button" title={keyHint("bookmark")} onClick={() => explorer.bookmark()}>
        Bookmark this view
      </button>
      {bookmarks.map(({ title, view }, at) => (
        <span key={at} class="exirviz-joined">
          <button
            type="button"
            title={visible(title)}
            onClick={() => {
              void explorer.show(view);
              onDone();
            }}
          >
            {visible(title)}
          </button>
          <button
            type="button"
            aria-label={`Remove bookmark ${visible(title)}`}
            title="Remove bookmark"
            onClick={() =>
              explorer.store.set({ bookmarks: explorer.state.bookmarks.filter((_, i) => i !== at) })
            }
          >
            ×
          </button>
        </span>
      ))}
    </Part>
  );
}

function Save({ onSave, onDone }: { onSave: (image: Image) => void; onDone: () => void }): JSX.Element {
  const [of, setOf] = useState<Image["of"]>("all");
  const [scale, setScale] = useState<number>(2);
  const save = (type: Image["type"]): void => {
    onSave({ type, of, scale });
    onDone();
  };
  return (
    <Part title="Export">
      <label>
        Area{" "}
        <select
          aria-label="Area to export"
          value={of}
          onChange={({ currentTarget }) => setOf(currentTarget.value === "view" ? "view" : "all")}
        >
          <option value="all">whole graph</option>
          <option value="view">visible area</option>
        </select>
      </label>
      <button
        type="button"
        title={`Export SVG, text stays selectable (${keyHint("export")})`}
        onClick={() => save("svg")}
      >
        SVG
      </button>
      <span class="exirviz-joined">
        <button type="button" onClick={() => save("png")}>
          PNG
        </button>
        <select
          aria-label="PNG scale"
          value={String(scale)}
          onChange={({ currentTarget }) => setScale(Number(currentTarget.value))}
        >
          {SCALES.map((each) => (
            <option key={each} value={String(each)}>
              ×{each}
            </option>
          ))}
        </select>
      </span>
    </Part>
  );
}
