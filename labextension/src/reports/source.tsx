/**
 * The user's files, each line with its mark. A line selects the ops that it made, and the lines of the selection are
 * marked and scrolled to.
 */
import { useEffect, useMemo, useState } from "preact/hooks";
import { baseName, byteText, countText, grouped, lineQuery, shareText } from "../snapshot";
import { type Actions, nodesOf, type Selection } from "../ui/actions";
import { List } from "../ui/list";
import { plural, visible } from "../ui/text";
import type { ShownReport } from "./reports";
import type { Mark } from "./schema";

const ROW_HEIGHT = 19;

type Source = NonNullable<ShownReport["sources"]>[number];

interface SourcesProps {
  readonly sources: readonly Source[];
  readonly marks: readonly Mark[];
  readonly actions: Actions;
  readonly selection: Selection;
}

export function Sources({ sources, marks, actions, selection }: SourcesProps) {
  const [chosen, choose] = useState(0);
  const selected = useMemo(() => new Set(nodesOf(selection)), [selection]);
  const [first] = selected;
  const place = useMemo(() => (first === undefined ? undefined : lineOf(sources, first)), [sources, first]);
  // The selection brings its file.
  useEffect(() => {
    if (place) choose(place.file);
  }, [place]);
  const source = sources[chosen] ?? sources[0];
  // Without a selection the list begins at the first line that made ops, not at a license.
  const begin = useMemo(() => source?.ops.findIndex((count) => count > 0), [source]);
  const revealKey = useMemo(() => ({}), [chosen, selection]);
  if (!source) return null;
  return (
    <section class="exirviz-section exirviz-sources" aria-label="Source lines">
      <select
        class="exirviz-input"
        aria-label="File"
        value={chosen}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {sources.map(({ file, nodes }, i) => (
          <option key={file} value={i}>
            {visible(baseName(file))} ({plural(nodes.flat().length, "op")})
          </option>
        ))}
      </select>
      <Legend source={source} marks={marks} />
      <List
        class="exirviz-source-lines"
        label="Source"
        count={source.numbers.length}
        rowHeight={ROW_HEIGHT}
        reveal={place?.file === chosen ? place.at : selected.size === 0 ? begin : undefined}
        revealKey={revealKey}
        row={(at) => (
          <Line
            key={at}
            actions={actions}
            source={source}
            mark={marks[source.marks[at] ?? -1]}
            at={at}
            isSelected={(source.nodes[at] ?? []).some((node) => selected.has(node))}
          />
        )}
      />
    </section>
  );
}

/** The file and the index of the line that made a node itself. */
function lineOf(sources: readonly Source[], node: number): { file: number; at: number } | undefined {
  for (const [file, { nodes }] of sources.entries()) {
    const at = nodes.findIndex((each) => each.includes(node));
    if (at >= 0) return { file, at };
  }
  return undefined;
}

/** What the signs mean, and how many lines of a file have each. */
function Legend({ source, marks }: { source: Source; marks: readonly Mark[] }) {
  return (
    <div class="exirviz-source-legend">
      {marks.map(({ label, about }, i) => {
        const count = source.marks.filter((mark) => mark === i).length;
        return (
          count > 0 && (
            <span key={label} title={about && visible(about)}>
              <Sign mark={marks[i]} /> {grouped(count)} {visible(label)}
            </span>
          )
        );
      })}
      {source.note && <span class="exirviz-dim">{visible(source.note)}</span>}
    </div>
  );
}

const Sign = ({ mark }: { mark: Mark | undefined }) => (
  <span class={`exirviz-source-sign is-${mark?.color || "plain"}`} aria-hidden="true">
    {visible(mark?.sign || " ")}
  </span>
);

interface LineProps {
  readonly actions: Actions;
  readonly source: Source;
  readonly mark: Mark | undefined;
  readonly at: number;
  readonly isSelected: boolean;
}

function Line({ actions, source, mark, at, isSelected }: LineProps) {
  const number = source.numbers[at] ?? 0;
  const nodes = source.nodes[at] ?? [];
  const ops = source.ops[at] ?? 0;
  const note = source.notes[at] ?? "";
  const share = source.shares?.[at];
  const cost = [
    ops > 0 && `${plural(ops, "op")} · ${byteText(source.bytes[at] ?? 0)}`,
    share && `${shareText(share)} of the run`,
  ];
  const inner = (
    <>
      <Sign mark={mark} />
      <span class="exirviz-source-number">{number}</span>
      <span class="exirviz-source-ops">{ops > 0 ? countText(ops) : ""}</span>
      <span>{visible(source.texts[at] ?? "")}</span>
      {note && <span class="exirviz-source-note"> {visible(note)}</span>}
    </>
  );
  const about = mark && `Line ${number}: ${mark.label}`;
  const title = visible([about, note, ...cost].filter(Boolean).join(". "));
  const kind = "exirviz-row exirviz-source-row";
  if (ops === 0)
    return (
      <div class={kind} title={title || undefined}>
        {inner}
      </div>
    );
  const frame = { file: source.file, line: number, function: "", code: "" };
  return (
    <button
      type="button"
      class={`${kind} exirviz-row-node${isSelected ? " exirviz-row-it" : ""}`}
      aria-current={isSelected ? "true" : undefined}
      title={`${title}. Click to ${nodes.length > 0 ? "select" : "find"} its ops`}
      onClick={() => (nodes.length > 0 ? actions.select(nodes) : actions.search(lineQuery(frame)))}
    >
      {inner}
    </button>
  );
}
