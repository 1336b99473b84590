/** Forms to rename a stage and to delete it: deleting may discard minutes of work, so it must be confirmed. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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
  const [isConfirming, ask] = useState<boolean>();
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isConfirming !== undefined) first.current?.focus({ preventScroll: true });
  }, [isConfirming]);
  const memory = memoryText(record);
  const stages = below ? `${below + 1} stages` : "stage";
  const isFirst = record.parent === null;
  if (!isConfirming) {
    return (
      <button
        type="button"
        class="exirviz-button"
        ref={first}
        disabled={isFirst}
        title={isFirst ? "The first stage cannot be deleted" : `Frees ${memory || "its memory"}`}
        onClick={() => ask(true)}
      >
        Delete {stages}
        {memory && ` (frees ${memory}${below ? " or more" : ""})`}
      </button>
    );
  }
  return (
    <span class="exirviz-sure">
      <button type="button" class="exirviz-button is-danger" ref={first} onClick={onDrop}>
        Delete {stages} permanently
      </button>
      <button type="button" class="exirviz-button" onClick={() => ask(false)}>
        Cancel
      </button>
    </span>
  );
}
