/**
 * The operators of a stage: how often each is called, what can be done with it, and a preview of its
 * decomposition. The checkboxes choose which ones a step decomposes or keeps.
 */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { grouped, readFile, type Snapshot } from "../../snapshot";
import { Link } from "../../ui/links";
import { More } from "../../ui/more";
import { plural, visible } from "../../ui/text";
import { useUniqueName } from "../../ui/unique_name";
import { asOpRows, shortOp, Ticks } from "../forms";
import type { OpRow } from "../schema";
import type { FieldOf } from "./form";
import { useRequest } from "./use_request";

export type Still = (snapshot: Snapshot) => string;

/** Rows that are shown before the rest is folded. */
const FIRST = 12;

export function OpsField(props: FieldOf): JSX.Element {
  const { option, options, set, record, actions } = props;
  const { name, choices = [], about = "" } = option;
  const group = useUniqueName("exirviz-ops");
  const ticks = Ticks.of(name, choices, options);
  const { value: rows, problem } = useRequest(record.id, async (stage) => asOpRows(await actions.ops(stage)));
  return (
    <fieldset class="exirviz-ops">
      <legend>{visible(option.title)}</legend>
      {choices.length > 0 && (
        <div class="exirviz-dock-row">
          {[...choices, "ticked"].map((choice) => (
            <label key={choice} class="exirviz-radio">
              <input
                type="radio"
                name={group}
                checked={ticks.mode === choice}
                onChange={() => set(ticks.choose(choice))}
              />
              {visible(NAMES[choice] ?? choice)}
            </label>
          ))}
        </div>
      )}
      <p class="exirviz-dim exirviz-ops-about">{visible(ABOUT[ticks.mode] ?? about)}</p>
      {problem && <p class="exirviz-bad">{visible(problem)}</p>}
      {!rows && !problem && <p class="exirviz-dim">Reading the operators…</p>}
      {rows && <OpsTable {...props} rows={rows} ticks={ticks} />}
    </fieldset>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  core: "All, to Core ATen",
  functional: "Functionalize only",
  ticked: "Selected ops",
};
const ABOUT: Readonly<Record<string, string>> = {
  core: "Uncheck ops to keep.",
  functional: "Only in-place and composite ops are decomposed.",
  ticked: "Check ops to decompose.",
};

interface TableProps extends FieldOf {
  readonly rows: readonly OpRow[];
  readonly ticks: Ticks;
}

function OpsTable(props: TableProps): JSX.Element {
  const { rows, ticks, set } = props;
  const [words, setWords] = useState("");
  const [shown, setShown] = useState<OpRow>();
  const found = useMemo(() => rows.filter(({ op }) => op.includes(words.trim())), [rows, words]);
  return (
    <div class="exirviz-ops-pair">
      <div class="exirviz-ops-table">
        <input
          class="exirviz-field"
          type="search"
          aria-label="Find an operator"
          placeholder={`Search ${plural(rows.length, "operator")}`}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <table>
          <tbody>
            <More
              items={found}
              first={FIRST}
              of="operators"
              each={(row) => (
                <OpLine
                  key={row.op}
                  row={row}
                  ticks={ticks}
                  isShown={shown === row}
                  onTick={() => set(ticks.tick(row))}
                  onPreview={() => setShown(shown === row ? undefined : row)}
                />
              )}
            />
          </tbody>
        </table>
      </div>
      {shown && <Preview {...props} row={shown} table={previewOf(ticks, shown)} />}
    </div>
  );
}

/** How far a call is decomposed: ops outside all tables only by their own decomposition. */
function previewOf({ mode }: Ticks, { implicit, in_core_table }: OpRow): "core" | "op" {
  const isToCore = mode === "core" || mode === "preserve";
  return isToCore && (implicit || in_core_table) ? "core" : "op";
}

interface LineProps {
  readonly row: OpRow;
  readonly ticks: Ticks;
  readonly isShown: boolean;
  readonly onTick: () => void;
  readonly onPreview: () => void;
}

function OpLine({ row, ticks, isShown, onTick, onPreview }: LineProps): JSX.Element {
  return (
    <tr class={isShown ? "is-shown" : ""}>
      <td title={visible(row.op)}>
        <label class="exirviz-radio">
          <input
            type="checkbox"
            aria-label={visible(row.op)}
            checked={ticks.isTicked(row)}
            disabled={!ticks.canTick(row)}
            onChange={onTick}
          />
          <code>{visible(shortOp(row.op))}</code>
        </label>
      </td>
      <td class="exirviz-number">×{grouped(row.count)}</td>
      <td>
        {(row.decomposes || row.implicit) && (
          <Link
            aria-expanded={isShown}
            aria-label={`Preview ${visible(row.op)}`}
            title="Show what one call becomes"
            onClick={onPreview}
          >
            Preview
          </Link>
        )}
      </td>
      <td class="exirviz-dim exirviz-ops-say">{ticks.say(row)}</td>
    </tr>
  );
}

/** A preview of an operator's first call, with its shapes. */
function Preview({
  row,
  table,
  record,
  actions,
  still,
  onNode,
}: FieldOf & { row: OpRow; table: "op" | "core" }): JSX.Element {
  const node = row.nodes?.[0];
  const { value, problem } = useRequest(node && `${node} ${table}`, async () =>
    readFile(await actions.preview(record.id, node ?? "", table)),
  );
  const image = useMemo(() => value && still(value), [value, still]);
  return (
    <figure class="exirviz-preview" aria-label={`What ${visible(row.op)} becomes`}>
      <figcaption>
        <Link onClick={() => node && onNode(node)}>{visible(node ?? "")}</Link> becomes
        {table === "core" ? ", in Core ATen" : ""}
      </figcaption>
      {problem && <p class="exirviz-bad">{visible(problem)}</p>}
      {!value && !problem && <p class="exirviz-dim">Tracing its decomposition…</p>}
      {image && (
        <div class="exirviz-preview-frame">
          <img
            alt={opsOf(value)}
            src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(image)}`}
            onLoad={({ currentTarget }) => toMiddle(currentTarget.parentElement)}
          />
        </div>
      )}
    </figure>
  );
}

/** Scrolls a wide picture to its middle: inputs are at the left and right. */
function toMiddle(frame: HTMLElement | null): void {
  if (frame) frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
}

/** The picture as text. */
function opsOf(snapshot: Snapshot | undefined): string {
  if (!snapshot) return "";
  const graph = snapshot.graph(0);
  const names = Array.from({ length: graph.count }, (_, at) => graph.target(at)?.text ?? "");
  return visible(names.filter((name) => name.includes(".")).join(", "));
}
