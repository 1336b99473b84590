/** The findings of a step: each with links to its node and its line, and what to do. */

import type { JSX } from "preact";
import { baseName } from "../../snapshot";
import { Link } from "../../ui/links";
import { More } from "../../ui/more";
import { plural, visible } from "../../ui/text";
import type { Finding } from "../schema";

/** Findings name nodes of the program that is shown. */
export interface NodeLinks {
  /** Whether it has a node of this name. */
  readonly has: (node: string) => boolean;
  readonly onNode: (node: string) => void;
}

/** Findings that are shown before the rest is folded. */
const FIRST = 4;

export function Findings({
  findings,
  has,
  onNode,
}: { findings: readonly Finding[] } & NodeLinks): JSX.Element | null {
  if (findings.length === 0) return null;
  return (
    <ul class="exirviz-findings" aria-label={plural(findings.length, "finding")}>
      <More
        items={findings}
        first={FIRST}
        of="findings"
        each={(finding, i) => <FindingRow key={i} finding={finding} has={has} onNode={onNode} />}
      />
    </ul>
  );
}

function FindingRow({ finding, has, onNode }: { finding: Finding } & NodeLinks): JSX.Element {
  const { text, node = "", op = "", frame, remedy = "", count = 1 } = finding;
  const link = (label: string, title: string): JSX.Element =>
    node && has(node) ? (
      <Link title={title} onClick={() => onNode(node)}>
        {visible(label)}
      </Link>
    ) : (
      <span>{visible(label)}</span>
    );
  const line = frame?.code?.split("\n")[0]?.trim();
  return (
    <li class="exirviz-finding">
      <span class="exirviz-finding-what">
        {op && <code>{visible(op)}</code>}
        {count > 1 && <span class="exirviz-dim"> ×{count}</span>} {visible(text)}
      </span>
      {(node || frame) && (
        <span class="exirviz-finding-where">
          {node && link(node, "Select it in the graph")}
          {frame && (
            <>
              {node && " · "}
              {link(`${baseName(frame.file)}:${frame.line}`, `${frame.file}:${frame.line}`)}
              {line && <code class="exirviz-dim"> {visible(line)}</code>}
            </>
          )}
        </span>
      )}
      {remedy && <span class="exirviz-finding-remedy">→ {visible(remedy)}</span>}
    </li>
  );
}
