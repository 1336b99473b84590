/**
 * The user's files, each line with what became of it. A line selects the ops that it made, and the lines of
 * the selection are marked and scrolled to.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { baseName, byteText, countText, grouped, lineQuery, type SourceCoverage } from "../../snapshot";
import type { Actions } from "../../ui/actions";
import { List } from "../../ui/list";
import { Empty } from "../../ui/states";
import { plural, visible } from "../../ui/text";
import type { PanelProps } from "../actions";
import { useAnalysis } from "../detail";
import { lineOf, MEANINGS, STATUSES, statusCounts, statusOf } from "./coverage";
import { nodesOf } from "./selected_row";

const ROW_HEIGHT = 19;

/** `lead` comes first in the bar above the lines. */
export function SourcePanel({
  snapshot,
  actions,
  selection,
  lead,
}: Pick<PanelProps, "snapshot" | "actions" | "selection"> & { lead: ComponentChildren }) {
  const analysis = useAnalysis(snapshot);
  const sources = analysis?.sources ?? [];
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
  return (
    <div class="exirviz-code">
      <div class="exirviz-bar-top">
        {lead}
        {sources.length > 0 && (
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
        )}
      </div>
      {!analysis && <Empty title="Loading">Reading which lines made which ops.</Empty>}
      {analysis && !source && (
        <Empty title="No source">The program names no lines of yours, or they are not shared.</Empty>
      )}
      {source && (
        <>
          <Legend source={source} />
          <List
            class="exirviz-source-lines"
            label="Source"
            count={source.lines.length}
            rowHeight={ROW_HEIGHT}
            reveal={place?.file === chosen ? place.at : selected.size === 0 ? begin : undefined}
            revealKey={revealKey}
            row={(at) => (
              <Line
                key={at}
                actions={actions}
                source={source}
                at={at}
                isSelected={(source.nodes[at] ?? []).some((node) => selected.has(node))}
              />
            )}
          />
        </>
      )}
    </div>
  );
}

/** What the signs mean, and how many lines have each. */
function Legend({ source }: { source: SourceCoverage }) {
  const counts = statusCounts(source);
  return (
    <div class="exirviz-coverage-legend">
      {STATUSES.filter(({ status }) => counts.has(status)).map(({ status, sign, title }) => (
        <span key={status} title={MEANINGS[status]}>
          <span class={`exirviz-coverage-sign is-${status}`} aria-hidden="true">
            {sign}
          </span>{" "}
          {grouped(counts.get(status) ?? 0)} {title}
        </span>
      ))}
      {source.is_read === false && (
        <span class="exirviz-dim">
          Only lines that the program names are shown: the source file is missing, changed or not read.
        </span>
      )}
      {source.is_read !== false && !source.is_watched && (
        <span
          class="exirviz-dim"
          title="exir_viz.capture(model, inputs, watch=True) watches every line while it exports"
        >
          Only lines that ops name are known.
        </span>
      )}
    </div>
  );
}

function Line({
  actions,
  source,
  at,
  isSelected,
}: {
  actions: Actions;
  source: SourceCoverage;
  at: number;
  isSelected: boolean;
}) {
  const status = statusOf(source.statuses[at] ?? "");
  const number = source.lines[at] ?? 0;
  const nodes = source.nodes[at] ?? [];
  const ops = source.ops[at] ?? 0;
  const note = source.notes[at] ?? "";
  const cost = ops > 0 ? `${plural(ops, "op")} · ${byteText(source.bytes[at] ?? 0)}` : "";
  const inner = (
    <>
      <span class={`exirviz-coverage-sign is-${status?.status ?? "none"}`} aria-hidden="true">
        {status?.sign ?? " "}
      </span>
      <span class="exirviz-coverage-number">{number}</span>
      <span class="exirviz-coverage-ops">{ops > 0 ? countText(ops) : ""}</span>
      <span class="exirviz-coverage-text">{visible(source.texts[at] ?? "")}</span>
      {note && <span class="exirviz-coverage-note"> {visible(note)}</span>}
    </>
  );
  const title = [status && `Line ${number}: ${status.title}`, note, cost].filter(Boolean).join(". ");
  const kind = `exirviz-row exirviz-coverage-row is-${status?.status ?? "none"}`;
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
