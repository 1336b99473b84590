/** The user's line that made a node, marked among its neighbours, and the frames that lead to it. */
import { useEffect, useState } from "preact/hooks";
import {
  baseName,
  type Detail,
  type Frame,
  framesOf,
  isCell,
  lineQuery,
  type Snapshot,
  usersFrame,
} from "../../snapshot";
import type { Actions, CellLine } from "../../ui/actions";
import { Clip } from "../../ui/clip";
import { Link } from "../../ui/links";
import { Absent, Section } from "../../ui/section";
import { plural, visible } from "../../ui/text";

const NEAR = 2;
const FAR = 9;

interface Props {
  readonly snapshot: Snapshot;
  readonly actions: Actions;
  readonly detail: Detail;
  readonly node: number;
}

export function Source({ snapshot, actions, detail, node }: Props) {
  const frames = framesOf(snapshot, detail, node);
  const [chosen, choose] = useState(-1);
  const [isFar, setFar] = useState(false);
  // Start again for another node.
  useEffect(() => choose(-1), [node]);
  const at = chosen >= 0 && chosen < frames.length ? chosen : usersFrame(frames);
  const frame = frames[at];
  if (!frame) {
    return (
      <Section title="Source">
        <Absent>No source line recorded</Absent>
      </Section>
    );
  }
  const lines = linesAround(detail, frame, isFar ? FAR : NEAR);
  const showCell =
    isCell(frame.file) && actions.showCell && (() => actions.showCell?.(cellLine(detail, frame)));
  return (
    <Section
      title="Source"
      aside={
        <button type="button" class="exirviz-quiet" onClick={() => setFar(!isFar)} aria-pressed={isFar}>
          {isFar ? "Fewer lines" : "More lines"}
        </button>
      }
    >
      {lines.length > 0 ? (
        <pre class="exirviz-source">
          {lines.map(({ number, text, isCurrent }) => (
            <span
              key={number}
              class={isCurrent ? "exirviz-source-line exirviz-source-line-it" : "exirviz-source-line"}
              title={visible(text)}
            >
              <span class="exirviz-source-number">{number}</span>
              {visible(text) || " "}
            </span>
          ))}
        </pre>
      ) : (
        <Absent>Source text wasn't saved</Absent>
      )}
      <div class="exirviz-where">
        <Link
          title={`Find all nodes from this line of ${visible(isCell(frame.file) ? "the cell" : frame.file)}`}
          onClick={() => {
            actions.search(lineQuery(frame));
            if (showCell) showCell();
          }}
        >
          {visible(baseName(frame.file))}:{frame.line}
        </Link>{" "}
        in {visible(frame.function)}
        {showCell && (
          <>
            {" · "}
            <Link title="Scroll the notebook to this line" onClick={showCell}>
              Show in notebook
            </Link>
          </>
        )}
      </div>
      <Frames frames={frames} at={at} onChoose={choose} />
    </Section>
  );
}

function Frames({
  frames,
  at,
  onChoose,
}: {
  frames: readonly Frame[];
  at: number;
  onChoose: (frame: number) => void;
}) {
  if (frames.length < 2) return null;
  return (
    <details class="exirviz-details">
      <summary>{plural(frames.length, "frame")}</summary>
      <ol class="exirviz-source-frames">
        {frames.map((frame, i) => (
          <li key={i}>
            <button
              type="button"
              class={i === at ? "exirviz-source-frame exirviz-source-frame-it" : "exirviz-source-frame"}
              aria-pressed={i === at}
              onClick={() => onChoose(i)}
            >
              <Clip text={`${baseName(frame.file)}:${frame.line} ${frame.function}`} />
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

interface SourceLine {
  readonly number: number;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** The lines up to `around` away from a frame's, if saved; else the line in the trace. */
function linesAround(detail: Detail, frame: Frame, around: number): SourceLine[] {
  const source = detail.sources?.find(({ file }) => file === frame.file);
  const found: SourceLine[] = [];
  source?.lines.forEach((number, i) => {
    if (Math.abs(number - frame.line) > around) return;
    found.push({ number, text: source.text[i] ?? "", isCurrent: number === frame.line });
  });
  if (found.some(({ isCurrent }) => isCurrent)) return dedented(found);
  return frame.code
    ? frame.code
        .split("\n")
        .map((text, i) => ({ number: frame.line + i, text: text.trimEnd(), isCurrent: i === 0 }))
    : [];
}

/** A frame's line in a notebook's cell, with the lines of the cell that are saved. */
function cellLine({ sources = [] }: Detail, { file, line, code }: Frame): CellLine {
  const text = new Map<number, string>();
  if (code) text.set(line, code.split("\n")[0] ?? "");
  const source = sources.find((each) => each.file === file);
  source?.lines.forEach((number, i) => {
    text.set(number, source.text[i] ?? "");
  });
  return { line, text };
}

/** Without the common indentation. */
function dedented(lines: readonly SourceLine[]): SourceLine[] {
  const widths = lines
    .filter(({ text }) => text.trim())
    .map(({ text }) => text.length - text.trimStart().length);
  const shared = Math.min(...widths);
  return lines.map((line) => ({ ...line, text: line.text.slice(shared) }));
}
