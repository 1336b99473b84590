/** Forms to rename a stage and to delete it: deleting may discard minutes of work, so it can be undone. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../ui/text";
import type { StageRecord } from "../schema";
import { memoryText } from "../stage_text";

interface RenameProps {
  readonly record: StageRecord;
  readonly onRename: (name: string) => void;
}

export function RenameRow({ record, onRename }: RenameProps): JSX.Element {
  const [name, setName] = useState(record.name);
  return (
    <form
      class="exirviz-about-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() && name !== record.name) onRename(name.trim());
      }}
    >
      <label>
        <span>Name</span>
        <input
          class="exirviz-field"
          value={name}
          maxLength={80}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <button type="submit" class="exirviz-button" disabled={!name.trim() || name === record.name}>
        Rename
      </button>
    </form>
  );
}

interface DeleteProps {
  readonly record: StageRecord;
  /** The number of its descendants. */
  readonly below: number;
  readonly onDrop: () => void;
}

/** In a row of its own, so that it is not hit by mistake. */
export function DeleteRow(props: DeleteProps): JSX.Element {
  return (
    <div class="exirviz-about-row is-delete">
      <Delete {...props} />
    </div>
  );
}

function Delete({ record, below, onDrop }: DeleteProps): JSX.Element {
  const memory = memoryText(record);
  const isFirst = record.parent === null;
  return (
    <button
      type="button"
      class="exirviz-button"
      disabled={isFirst}
      title={
        isFirst ? "The first stage cannot be deleted" : "Can be undone for a minute; then frees its memory"
      }
      onClick={onDrop}
    >
      Delete {below ? `${below + 1} stages` : "stage"}
      {memory && ` (frees ${memory}${below ? " or more" : ""})`}
    </button>
  );
}

interface DeletedProps {
  readonly names: readonly string[];
  readonly onUndo: () => void;
}

/** Says which stages were deleted, as long as they can be put back. */
export function Deleted({ names: [first = "", ...rest], onUndo }: DeletedProps): JSX.Element {
  return (
    <section class="exirviz-dock exirviz-busy-step" role="status" aria-label="Deleted stages">
      <span class="exirviz-busy-text">
        Deleted <b>{visible(first)}</b>
        {rest.length > 0 && ` and ${rest.length} more`}
      </span>
      <button type="button" class="exirviz-button" title="Put back what was deleted" onClick={onUndo}>
        Undo
      </button>
    </section>
  );
}
