/** A step that failed: what, where in the program it came from, what to do next. */
import type { JSX } from "preact";
import { More } from "../../panels/parts/more";
import { baseName, plural, visible } from "../../panels/parts/text";
import type { Finding, Fix, StageRecord } from "../schema";
import { Dock } from "./dock";

export interface FailedProps {
  readonly record: StageRecord;
  /** What it was made from; findings name nodes of it. */
  readonly parent: StageRecord | undefined;
  /** Why no step can be run here; empty where it can. */
  readonly reason: string;
  /** Whether the parent has a node of this name. */
  readonly has: (node: string) => boolean;
  readonly onNode: (node: string) => void;
  readonly onFix: (fix: Fix) => void;
  readonly onBack: () => void;
}

/** Findings that are shown at once. */
const FIRST = 4;

export function Failed(props: FailedProps): JSX.Element {
  const { record, parent, reason, onFix, onBack } = props;
  const {
    type = "",
    reason: why = "Nobody says why.",
    message = "",
    findings = [],
    fixes = [],
  } = record.failure ?? {};
  return (
    <Dock
      isAlert
      label={`${visible(record.name)} failed`}
      title={
        <>
          <span class="ev-bad">✕ {visible(record.step.title || record.name)} failed</span>
          {type && <span class="exirviz-dock-aside">{visible(type)}</span>}
        </>
      }
    >
      <p class="exirviz-dock-text">{visible(why)}</p>
      {findings.length > 0 && (
        <ul class="exirviz-findings" aria-label={plural(findings.length, "finding")}>
          <More
            items={findings}
            first={FIRST}
            of="findings"
            each={(finding, i) => <FindingRow key={i} finding={finding} {...props} />}
          />
        </ul>
      )}
      <div class="exirviz-dock-row">
        {fixes.map((fix) => (
          <button
            type="button"
            key={fix.title}
            class="exirviz-button is-first"
            disabled={reason !== ""}
            title={reason || "Runs the step again with this"}
            onClick={() => onFix(fix)}
          >
            {visible(fix.title)}
          </button>
        ))}
        <button type="button" class="exirviz-button" onClick={onBack}>
          back to {visible(parent?.name ?? "the program")}
        </button>
        <span class="exirviz-dim">
          The picture below is {visible(parent?.name ?? "the program")}, unchanged.
          {reason && fixes.length > 0 && ` ${reason}`}
        </span>
      </div>
      {message && message !== why && (
        <details class="exirviz-message">
          <summary>all that was said</summary>
          <pre>{visible(message)}</pre>
        </details>
      )}
    </Dock>
  );
}

export function FindingRow({
  finding,
  has,
  onNode,
}: { finding: Finding } & Pick<FailedProps, "has" | "onNode">): JSX.Element {
  const { text, node = "", op = "", frame, remedy = "", count = 1 } = finding;
  const link = (label: string, title: string): JSX.Element =>
    node && has(node) ? (
      <button type="button" class="ev-link" title={title} onClick={() => onNode(node)}>
        {visible(label)}
      </button>
    ) : (
      <span>{visible(label)}</span>
    );
  const said = op && text.startsWith(op) ? text.slice(op.length) : text;
  const line = frame?.code?.split("\n")[0]?.trim();
  return (
    <li class="exirviz-finding">
      <span class="exirviz-finding-what">
        {op && <code>{visible(op)}</code>}
        {count > 1 && <span class="ev-dim"> ×{count}</span>} {visible(said.trim())}
      </span>
      {(node || frame) && (
        <span class="exirviz-finding-where">
          {node && link(node, "Select it in the picture")}
          {frame && (
            <>
              {node && " · "}
              {link(`${baseName(frame.file)}:${frame.line}`, `${frame.file}:${frame.line}`)}
              {line && <code class="ev-dim"> {visible(line)}</code>}
            </>
          )}
        </span>
      )}
      {remedy && <span class="exirviz-finding-remedy">→ {visible(remedy)}</span>}
    </li>
  );
}
