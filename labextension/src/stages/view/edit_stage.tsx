/** A stage's name, and its deletion: deleting may discard minutes of work, so it must be confirmed. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { StageRecord } from "../schema";
import { memoryText } from "../stage_text";

interface EditStageProps {
  readonly record: StageRecord;
  /** The number of its descendants. */
  readonly below: number;
  /** Why it cannot be renamed or deleted here; empty if it can. */
  readonly reason: string;
  readonly onRename: (name: string) => void;
  readonly onDrop: () => void;
}

export function EditStage({ record, below, reason, onRename, onDrop }: EditStageProps): JSX.Element {
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
          disabled={reason !== ""}
          title={reason}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <button
        type="submit"
        class="exirviz-button"
        disabled={reason !== "" || !name.trim() || name === record.name}
        title={reason}
      >
        Rename
      </button>
      <Drop {...{ record, below, reason, onDrop }} />
    </form>
  );
}

function Drop({ record, below, reason, onDrop }: Omit<EditStageProps, "onRename">): JSX.Element {
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
        disabled={reason !== "" || isFirst}
        title={reason || (isFirst ? "The first stage cannot be deleted." : `Frees ${memory || "its memory"}`)}
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
