/** The form to write a file where the kernel runs: asks for a name, and before replacing a file. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { byteText } from "../../snapshot";
import { visible } from "../../ui/text";
import type { StageRecord } from "../schema";
import type { Save, Saved } from "../source";

interface SaveProps {
  readonly of: Save["of"];
  readonly label: string;
  /** The initial name. */
  readonly first: string;
  readonly record: StageRecord;
  readonly onSave: (what: Save) => Promise<Saved>;
}

type SaveResult =
  | { readonly state: "busy" }
  | { readonly state: "saved"; readonly text: string }
  | { readonly state: "refused"; readonly text: string };

/** The text of a refusal because the file exists: then it may be replaced. */
const IS_THERE = "exists already";

export function SaveRow({ of, label, first, record, onSave }: SaveProps): JSX.Element {
  const [path, setPath] = useState(first);
  const [result, setResult] = useState<SaveResult>();
  const save = async (replace: boolean): Promise<void> => {
    setResult({ state: "busy" });
    try {
      const saved = await onSave({ of, stage: record.id, path: path.trim(), replace });
      setResult({ state: "saved", text: `Wrote ${saved.path} (${byteText(saved.size)}).` });
    } catch (problem) {
      setResult({ state: "refused", text: problem instanceof Error ? problem.message : String(problem) });
    }
  };
  const isThere = result?.state === "refused" && result.text.includes(IS_THERE);
  return (
    <form
      class="exirviz-about-row"
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <label>
        <span>{label}</span>
        <input
          class="exirviz-field"
          value={path}
          title="Path relative to the kernel's working directory"
          onInput={({ currentTarget }) => {
            setPath(currentTarget.value);
            setResult(undefined);
          }}
        />
      </label>
      <button type="submit" class="exirviz-button" disabled={!path.trim() || result?.state === "busy"}>
        {of === "pte" ? "Save .pte" : "Save session"}
      </button>
      {isThere && (
        <button type="button" class="exirviz-button" onClick={() => void save(true)}>
          Replace
        </button>
      )}
      {result && result.state !== "busy" && (
        <span
          class={result.state === "refused" ? "exirviz-bad" : "exirviz-dim"}
          role="status"
          ref={(message) => message?.scrollIntoView?.({ block: "nearest" })}
        >
          {visible(result.text)}
        </span>
      )}
    </form>
  );
}
