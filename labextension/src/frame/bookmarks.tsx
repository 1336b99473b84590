/** Views that one wants to return to. */
import type { JSX } from "preact";
import { useExplorer, usePart } from "./context";

const ADD = "add";

export function Bookmarks(): JSX.Element {
  const explorer = useExplorer();
  const bookmarks = usePart((state) => state.bookmarks);
  return (
    <label title="Bookmarks (M adds this view)">
      <select
        aria-label="Bookmarks"
        value=""
        onChange={(event) => {
          const { value } = event.currentTarget;
          event.currentTarget.value = "";
          const bookmark = bookmarks[Number(value)];
          if (value === ADD) explorer.bookmark();
          else if (bookmark) void explorer.show(bookmark.view);
        }}
      >
        <option value="">{bookmarks.length ? `bookmarks (${bookmarks.length})` : "bookmarks"}</option>
        <option value={ADD}>+ this view</option>
        {bookmarks.map(({ title }, i) => (
          <option key={i} value={String(i)}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
