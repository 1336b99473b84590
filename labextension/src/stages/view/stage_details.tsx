/** About a stage: its step, code, warnings and findings; with a kernel, its name, files and deletion. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { secondsText } from "../../snapshot";
import { More } from "../../ui/more";
import { plural, visible, visibleLines } from "../../ui/text";
import type { StageRecord } from "../schema";
import type { Save, Saved } from "../source";
import { dialectText, memoryText, whyNotLive } from "../stage_text";
import { Dock } from "./dock";
import { DeleteRow, RenameRow } from "./edit_stage";
import { Findings, type NodeLinks } from "./findings";
import { SaveRow } from "./save";

interface StageDetailsProps extends NodeLinks {
  readonly record: StageRecord;
  /** The number of its descendants. */
  readonly below: number;
  /** Why it cannot be renamed, saved or deleted here; empty if it can. */
  readonly reason: string;
  readonly onRename: (name: string) => void;
  readonly onDrop: () => void;
  readonly onCopy: (text: string) => Promise<void>;
  readonly onSave: (what: Save) => Promise<Saved>;
  readonly onClose: () => void;
}

/** Warnings that are shown before the rest is folded. */
const FIRST = 4;
/** Up to this many warnings are not folded. */
const FEW = 2;

export function StageDetails(props: StageDetailsProps): JSX.Element {
  const { record, reason, onClose } = props;
  const { step, findings = [] } = record;
  const notices = step.notices ?? [];
  const messages = notices.reduce((sum, { count = 1 }) => sum + count, 0);
  const memory = memoryText(record);
  const facts = [
    dialectText(record),
    step.seconds ? secondsText(step.seconds) : "",
    !reason && memory && `${memory} in memory`,
    messages ? plural(messages, "message") : "",
  ];
  return (
    <Dock
      label={`About ${visible(record.name)}`}
      title={
        <>
          {visible(record.name)}
          <span class="exirviz-dock-aside">{facts.filter(Boolean).join(" · ")}</span>
        </>
      }
      onClose={onClose}
    >
      <p class="exirviz-dock-text">
        {record.parent === null ? "Start of this session" : visible(step.title)}
        <OptionsText options={step.options ?? {}} />
      </p>
      <Findings {...props} findings={findings} />
      {notices.length > 0 && (
        <details class="exirviz-message" open={notices.length <= FEW}>
          <summary>{plural(messages, "message")} from this step</summary>
          <More
            items={notices}
            first={FIRST}
            of="messages"
            each={({ text, count = 1 }, i) => (
              <pre key={i}>
                {count > 1 && <b>×{count} </b>}
                {visible(text)}
              </pre>
            )}
          />
        </details>
      )}
      {record.code && <CodeRow code={record.code} onCopy={props.onCopy} />}
      {reason ? (
        <p class="exirviz-dim exirviz-dock-text">{visible(reason)}</p>
      ) : (
        <>
          <RenameRow {...props} />
          {record.dialect === "executorch" && !whyNotLive(record) && (
            <SaveRow of="pte" label="Program" first="model.pte" {...props} />
          )}
          <SaveRow of="session" label="All stages" first="session.exirviz" {...props} />
          <DeleteRow {...props} />
        </>
      )}
    </Dock>
  );
}

/** Copies the script that makes the stage; shows it if there is no clipboard, as without https. */
function CodeRow({ code, onCopy }: { code: string; onCopy: (text: string) => Promise<void> }): JSX.Element {
  const [copied, setCopied] = useState<boolean>();
  return (
    <div class="exirviz-about-row">
      <button
        type="button"
        class="exirviz-button"
        title="The calls of torch and ExecuTorch that make this stage, as a script without exir_viz"
        onClick={() =>
          void onCopy(code).then(
            () => setCopied(true),
            () => setCopied(false),
          )
        }
      >
        Copy as code
      </button>
      <span class="exirviz-dim" role="status">
        {copied === true && "Copied"}
        {copied === false && "Couldn't copy. Select the text:"}
      </span>
      {copied === false && <pre>{visibleLines(code)}</pre>}
    </div>
  );
}

function OptionsText({ options }: { options: Readonly<Record<string, unknown>> }): JSX.Element {
  const names = Object.keys(options);
  return (
    <>
      {names.map((name) => (
        <code key={name} class="exirviz-option">
          {visible(name)}={visible(JSON.stringify(options[name]))}
        </code>
      ))}
    </>
  );
}
